
"use strict";

// Everything recorded gets into the page as text: by append(), textContent and a few attributes that run nothing.
// The page's policy refuses every other way.

const byId = (id) => document.getElementById(id);

function filled(node, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== null) node.setAttribute(key, value);
  }
  node.append(...children.filter((child) => child !== null));
  return node;
}

const make = (tag, attributes = {}, ...children) => filled(document.createElement(tag), attributes, children);

const draw = (tag, attributes = {}, ...children) =>
  filled(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);

async function read() {
  const packed = Uint8Array.from(atob(byId("recording").textContent), (character) => character.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
}

/** A text with at most so many characters; an ellipsis takes the place of its middle. */
function cut(text, most) {
  if (text.length <= most) return text;
  const tail = Math.floor((most - 1) / 2);
  return `${text.slice(0, most - 1 - tail)}…${text.slice(text.length - tail)}`;
}

/** An element with a text that is cut, and whole in its title. */
function makeCut(tag, attributes, text, most) {
  return make(tag, { ...attributes, title: text.length > most ? text : null }, cut(text, most));
}

// -- the recording

// What the colours of the strip mean. The first ones tell the most.
const STATES = [
  ["failed", "fails"],
  ["deletes", "deletes something"],
  ["keeps", "keeps what it has, though a value is missing"],
  ["waits", "waits for a value"],
  ["changed", "none of these"],
  ["same", "as the one before"],
];

function stateOf(row) {
  if ("error" in row.fact) return "failed";
  if (row.effects.some((one) => one.action === "deletes")) return "deletes";
  if (row.fact.keeps.length) return "keeps";
  if (row.steps.some((step) => step.waits.length)) return "waits";
  return "changed";
}

/** The state by which a reconcile has its bar. */
const shownState = (row) => (row.changed || row.state === "failed" ? row.state : "same");

/** What happened in a reconcile, in a few words. */
function wordsOf(row) {
  if (row.state === "failed") return "fails";
  if (!row.changed) return "as before";
  const held = new Set(row.steps.flatMap((step) => step.waits.map(([name]) => name)));
  row.fact.keeps.forEach((name) => held.delete(name));
  const count = (action) => row.effects.filter((one) => one.action === action).length;
  const counts = [
    ["deletes", count("deletes")],
    ["keeps", row.fact.keeps.length],
    ["creates", count("creates")],
    ["changes", count("changes")],
  ];
  const words = counts.filter(([, number]) => number).map(([word, number]) => `${word} ${number}`);
  if (held.size) words.push(`${held.size} wait`);
  return words.join(", ") || "changes nothing";
}

/** Where the reconcile is that tells the most: the first of the worst state, else the last change. */
function tellingOf(rows) {
  for (const [state] of STATES.slice(0, 4)) {
    const found = rows.findIndex((row) => row.state === state);
    if (found >= 0) return found;
  }
  return Math.max(0, rows.findLastIndex((row) => row.changed));
}

function prepare(data) {
  const last = new Map();
  const rows = data.reconciles.map(([time, xr, number, isLoss]) => {
    const row = { time, xr, number, fact: data.facts[number], previous: last.get(xr) ?? null };
    row.steps = row.fact.steps.map((one) => data.facts[one]);
    row.changed = row.previous === null || row.previous.number !== number;
    row.effects = (row.fact.effects ?? []).map((one) => data.facts[one]);
    row.state = stateOf(row);
    if (!isLoss) last.set(xr, row);
    return row;
  });
  const keys = data.xrs.map((xr) => xr.join("/"));
  return { ...data, rows, last, keys, of: keys.map((_, xr) => rows.filter((row) => row.xr === xr)) };
}

const counted = (number, noun) => `${number} ${noun}${number === 1 ? "" : "s"}`;

// -- a reconcile

const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);

function fieldRow([path, now, old, line], before) {
  const isNew = before !== null && !before.some((field) => field[0] === path && field[1] === now);
  const value = make("td", { class: "value" });
  if (old !== null) value.append(make("del", {}, old), " → ");
  value.append(now === null ? make("i", {}, "removed") : make("ins", {}, now));
  return make("tr", { class: isNew ? "new" : null }, makeCut("td", { class: "path" }, path, 80), value,
    make("td", { class: "line" }, line));
}

/** A resource's name; the composite's status has none. */
const nameOf = (name) => name || "status";

function changeOf(change, before, isFirst) {
  const isNew = !isFirst && before === null;
  const what = makeCut("span", { class: "quiet" }, change.kind, 60);
  const head = [make("b", {}, change.action), ` ${nameOf(change.name)} `, what, " "];
  if (isNew) head.push(make("span", { class: "badge" }, "new in this reconcile"));
  else if (!isFirst && before !== change) head.push(make("span", { class: "badge" }, "differs from before"));
  const kind = `change ${change.action}`;
  const note = change.note ? make("p", { class: "quiet" }, change.note) : null;
  if (!change.fields.length) return make("div", { class: kind }, make("p", {}, ...head), note);
  const rows = change.fields.map((field) => fieldRow(field, isFirst || isNew ? null : before.fields));
  return make("details", { class: kind, open: before === change ? null : "" }, make("summary", {}, ...head), note,
    make("table", {}, make("tbody", {}, ...rows)));
}

/** The changes of a step; those that are as before stay closed. */
function changesOf(facts, numbers, previous) {
  const before = new Map((previous ?? []).map((number) => [facts[number].name, facts[number]]));
  const all = numbers.map((number) => facts[number]);
  const fresh = all.filter((change) => before.get(change.name) !== change);
  const still = all.filter((change) => before.get(change.name) === change);
  const gone = [...before.keys()].filter((name) => !all.some((change) => change.name === name)).map(nameOf);
  const shown = fresh.map((change) => changeOf(change, before.get(change.name) ?? null, previous === null));
  if (gone.length) shown.push(make("p", {}, make("b", {}, "no longer: "), gone.join(", ")));
  if (still.length) {
    const inner = still.map((change) => changeOf(change, change, false));
    shown.push(make("details", {}, make("summary", {}, `${still.length} as before`), ...inner));
  }
  return shown.length ? shown : [make("p", { class: "quiet" }, "It changes nothing in desired state.")];
}

function effectsOf(effects, keeps) {
  const created = effects.filter((one) => one.action === "creates");
  const names = created.flatMap(({ name, kind }, at) =>
    [at ? ", " : "", name, " ", makeCut("span", { class: "quiet" }, kind.split(" of ")[0], 40)]);
  const shown = effects.filter((one) => one.action !== "creates").map((one) => changeOf(one, null, true));
  if (created.length) shown.push(make("p", {}, make("b", {}, "creates "), ...names));
  if (keeps.length) {
    const why = ", though values for them are missing";
    shown.push(make("p", { class: "keeps" }, make("b", {}, "keeps "), keeps.join(", "), why));
  }
  return shown.length ? shown : [make("p", { class: "quiet" }, "It changes no composed resource.")];
}

/** A message, of which the end stays closed if it is long. */
function messageOf(text) {
  if (text.length < 300) return text;
  const cut = text.lastIndexOf(" ", 200) + 1 || 200;
  return make("details", {}, make("summary", {}, `${text.slice(0, cut)}…`), `…${text.slice(cut)}`);
}

const coloured = (word) => (["False", "Fatal", "Unknown", "Warning"].includes(word) ? word : null);

function conditionsOf(conditions, before) {
  if (!conditions.length) return make("p", { class: "quiet" }, "There are none.");
  const rows = conditions.map((row) => {
    const [type, status, reason, message] = row;
    const isNew = before !== null && !before.some((one) => same(one, row));
    return make("tr", { class: isNew ? "new" : null }, make("td", {}, make("b", {}, type)),
      make("td", { class: coloured(status) }, status), make("td", {}, reason), make("td", {}, messageOf(message)));
  });
  return make("table", { class: "conditions" }, make("tbody", {}, ...rows));
}

/** The same step in the last reconcile of the XR that came so far; null if there is none. */
function stepBefore(row, name) {
  for (let one = row.previous; one; one = one.previous) {
    const found = one.steps.find((step) => step.name === name);
    if (found) return found;
  }
  return null;
}

function stepOf(facts, step, number, before) {
  const about = step.function + (step.calls > 1 ? `, ${step.calls} calls` : "");
  const parts = [make("h3", {}, `Step ${number}: ${step.name} `, make("span", { class: "quiet" }, about))];
  for (const [severity, reason, message] of step.results) {
    parts.push(make("div", {}, make("b", { class: coloured(severity) }, severity), ` ${reason} `, messageOf(message)));
  }
  if (step.waits.length) {
    const waits = step.waits.map(([name, path, why]) =>
      make("li", {}, make("b", {}, name), path ? ` waits for ${path}: ${why}` : `: ${why}`));
    parts.push(make("details", { open: waits.length > 8 ? null : "" },
      make("summary", {}, make("b", {}, `Waits (${waits.length})`)), make("ul", {}, ...waits)));
  }
  if (step.notes.length) parts.push(make("ul", {}, ...step.notes.map((note) => make("li", {}, note))));
  if (step.conditions.length) parts.push(conditionsOf(step.conditions, before && before.conditions));
  parts.push(...changesOf(facts, step.changes, before && before.changes));
  return make("section", {}, ...parts);
}

function momentOf(data, row, scope, graph) {
  const [kind, place] = data.xrs[row.xr];
  const { facts } = data;
  const previous = row.previous;
  const history = data.of[row.xr];
  const about = [`reconcile ${history.indexOf(row) + 1} of ${history.length} of this XR`, row.time];
  const passed = previous && /^\d{4}-/.test(row.time) && (Date.parse(row.time) - Date.parse(previous.time)) / 1000;
  if (passed) about.push(`${passed.toFixed(1)} s after the previous one`);
  if (!row.changed) about.push("nothing differs from the previous one");
  const title = scope === null ? make("a", { href: linkTo(data, row.xr, row.time) }, place) : place;
  const told = about.flatMap((one, at) => [at ? " · " : "", make("span", { class: "whole" }, one)]);
  const parts = [make("h2", {}, `${kind} `, title), make("p", { class: "quiet" }, ...told)];
  if ("error" in row.fact) parts.push(make("p", { class: "error" }, row.fact.error));
  else parts.push(make("h3", {}, "What it does in the cluster"), ...effectsOf(row.effects, row.fact.keeps));
  parts.push(make("h3", {}, "Resources and what they depend on"), graph);
  row.steps.forEach((step, at) => parts.push(stepOf(facts, step, at + 1, stepBefore(row, step.name))));
  parts.push(make("h3", {}, "Conditions of the XR, as it found them"));
  parts.push(conditionsOf(row.fact.conditions, previous && previous.fact.conditions));
  return parts;
}

// -- the graph

const NODE = { narrowest: 140, widest: 340, height: 52, down: 12, most: 14 };
const ACROSS = { narrowest: 40, usual: 80, widest: 200 };
// Pixels of a character of bold text, and the room at both ends of a line in a box. The widest box has room for every
// line: no line of `facts` is longer than 40 characters.
const CHARACTER = 7.2;
const MARGIN = 12;

/**
 * The place of each node: a column for each level of dependencies, in which nodes stand near to what they need.
 *
 * Boxes are as wide as the room allows.
 */
function placesOf({ nodes, edges }, room) {
  const places = nodes.map(() => null);
  const middle = (number) => {
    const rows = edges.filter((edge) => edge[1] === number && places[edge[0]]).map((edge) => places[edge[0]].row);
    return rows.length ? rows.reduce((sum, row) => sum + row, 0) / rows.length : Infinity;
  };
  let column = 0;
  for (const level of [...new Set(nodes.map((node) => node[1]))].sort((one, other) => one - other)) {
    const members = nodes.map((_, number) => number).filter((number) => nodes[number][1] === level);
    const ranks = new Map(members.map((number) => [number, middle(number)]));
    const compared = (one, other) => (ranks.get(one) === ranks.get(other) ? 0 : ranks.get(one) - ranks.get(other));
    members.sort((one, other) => compared(one, other) || one - other);
    members.forEach((number, at) => {
      const row = at % NODE.most;
      const y = row * (NODE.height + NODE.down) + 2;
      places[number] = { row, column: column + Math.floor(at / NODE.most), y };
    });
    column += Math.ceil(members.length / NODE.most);
  }
  const [columns, gaps] = [Math.max(1, column), Math.max(1, column - 1)];
  const shareWith = (gap) => Math.floor((room - 4 - gaps * gap) / columns);
  const least = shareWith(ACROSS.usual) < NODE.narrowest ? ACROSS.narrowest : ACROSS.usual;
  const share = shareWith(least);
  const width = Math.max(NODE.narrowest, Math.min(NODE.widest, share));
  // What boxes don't take is room for the labels of arrows.
  const left = Math.floor((room - 4 - columns * width) / gaps);
  const across = Math.max(least, Math.min(ACROSS.widest, left));
  places.forEach((place) => (place.x = place.column * (width + across) + 2));
  return { places, width, across };
}

/** Half of the way of an arrow, for a label. */
const halfway = (one, other) => (one + other) / 2;

/**
 * The graph as a picture and as text.
 *
 * @param chosen Has the name of the node that is chosen, which stays so from reconcile to reconcile.
 */
function graphOf(graph, looks, room, chosen) {
  if (!graph.nodes.length) return make("p", { class: "quiet" }, "No resource is known.");
  const { places, width: wide, across } = placesOf(graph, room);
  const labels = [];
  const paths = graph.edges.map(([from, to, tooltip, style, label]) => {
    const [x1, y1] = [places[from].x + wide, places[from].y + NODE.height / 2];
    const [x2, y2] = [places[to].x, places[to].y + NODE.height / 2];
    const bend = Math.max(30, Math.abs(x2 - x1) / 2);
    // A long way dips, so that it isn't hidden behind a node between its ends.
    const dip = x2 - x1 > wide + across ? NODE.height : 0;
    const d = `M${x1} ${y1}C${x1 + bend} ${y1 + dip} ${x2 - bend} ${y2 + dip} ${x2 - 7} ${y2}`;
    const stroke = style === "cycle" ? looks.cycle : looks.line;
    const middle = { x: halfway(x1, x2), y: halfway(y1, y2) + dip * 0.75 - 5 };
    labels.push(draw("text", { class: "value", ...middle, "text-anchor": "middle" },
      draw("title", {}, tooltip), label));
    return draw("path", { class: style || null, stroke, "marker-end": "url(#arrow)", d }, draw("title", {}, tooltip));
  });
  const boxes = graph.nodes.map(([state, , lines, tooltip], number) => {
    const { x, y } = places[number];
    const [fill, stroke, style] = looks.states[state];
    const box = draw("rect", { x, y, width: wide, height: NODE.height, fill, stroke,
      rx: style.includes("rounded") ? 10 : 2, "stroke-dasharray": /dashed|dotted/.test(style) ? "5 3" : null });
    const top = y + (lines.length > 2 ? 16 : 22);
    const texts = lines.map((line, at) =>
      draw("text", { x: x + wide / 2, y: top + 15 * at, fill: looks.text, "text-anchor": "middle",
        class: at ? null : "name" }, cut(line, Math.floor((wide - MARGIN) / CHARACTER))));
    const about = { "data-node": number, "data-name": lines[0], role: "button", tabindex: 0 };
    return draw("g", about, draw("title", {}, tooltip), box, ...texts);
  });
  const width = Math.max(0, ...places.map((place) => place.x)) + wide + 2;
  const height = Math.max(0, ...places.map((place) => place.y)) + NODE.height + NODE.down + 2;
  const size = { markerWidth: 8, markerHeight: 8, markerUnits: "userSpaceOnUse" };
  const arrow = draw("marker", { id: "arrow", viewBox: "0 0 6 6", refX: 1, refY: 3, ...size, orient: "auto" },
    draw("polygon", { points: "0,0 6,3 0,6", fill: looks.line }));
  const picture = draw("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "group",
    "aria-label": "dependency graph; the same follows as text" }, arrow, ...paths, ...boxes, ...labels);
  const holder = make("div", { class: "graph" }, picture);
  const nameAt = (node) => graph.nodes[node][2][0];
  const chosenNode = () => graph.nodes.findIndex((_, node) => nameAt(node) === chosen.name);
  const nodeAt = (event) => Number(event.target.closest("[data-node]")?.dataset.node ?? -1);
  const pick = (node) => {
    holder.classList.toggle("picked", node >= 0);
    graph.edges.forEach(([from, to], at) => {
      for (const part of [paths[at], labels[at]]) part.classList.toggle("near", from === node || to === node);
    });
  };
  const showChosen = () => {
    boxes.forEach((box, at) => box.setAttribute("aria-pressed", String(at === chosenNode())));
    pick(chosenNode());
  };
  const choose = (node) => {
    chosen.name = node < 0 || nameAt(node) === chosen.name ? null : nameAt(node);
    showChosen();
  };
  showChosen();
  picture.addEventListener("pointerover", (event) => {
    const node = nodeAt(event);
    pick(node >= 0 ? node : chosenNode());
  });
  picture.addEventListener("pointerleave", () => pick(chosenNode()));
  picture.addEventListener("click", (event) => choose(nodeAt(event)));
  picture.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    choose(nodeAt(event));
  });
  const texts = [...graph.nodes.map((node) => node[3]), ...graph.edges.map((edge) => edge[2])];
  return make("div", {}, holder, ...graph.notes.map((note) => make("p", { class: "quiet" }, note)),
    make("details", {}, make("summary", {}, "as text"), make("ul", {}, ...texts.map((text) => make("li", {}, text)))));
}

// -- links, and the way through time

/** A link to an XR (null for all) at a time; without a time, to its last reconcile. */
function linkTo(data, xr, time) {
  return `#${encodeURI(`${xr === null ? "" : data.keys[xr]}@${time}`)}`;
}

/**
 * What a link means: the XR, and the last reconcile that began at its time or before.
 *
 * Without a link it is the reconcile that tells the most.
 */
function placeOf(data, hash) {
  let text = "";
  try {
    text = decodeURI(hash.slice(1));
  } catch {
    // Somebody has cut the link: it means the recording.
  }
  const at = text.lastIndexOf("@");
  const found = data.keys.indexOf(at < 0 ? text : text.slice(0, at));
  const scope = found >= 0 ? found : data.xrs.length === 1 ? 0 : null;
  const rows = scope === null ? data.rows : data.of[scope];
  if (!text) return { scope, rows, at: tellingOf(rows) };
  const time = at < 0 ? "" : text.slice(at + 1);
  const exact = rows.findLastIndex((row) => row.time === time);
  if (exact >= 0) return { scope, rows, at: exact };
  const before = time ? rows.filter((row) => row.time <= `${time}~`).length : rows.length;
  return { scope, rows, at: Math.max(0, before - 1) };
}

function drawStrip(canvas, place) {
  const style = getComputedStyle(document.documentElement);
  const colour = (name) => style.getPropertyValue(`--${name}`);
  const width = (canvas.width = Math.round(canvas.clientWidth * devicePixelRatio));
  const height = (canvas.height = Math.round(canvas.clientHeight * devicePixelRatio));
  const context = canvas.getContext("2d");
  const each = width / place.rows.length;
  // The worst comes last, because the bars of thousands of reconciles lie over each other.
  for (const [state] of [...STATES].reverse()) {
    context.fillStyle = colour(state);
    place.rows.forEach((row, at) => {
      if (shownState(row) !== state) return;
      const tall = height * (row.changed ? 0.75 : 0.35);
      context.fillRect(at * each, height - tall, Math.max(1, Math.min(each * 0.85, each - 0.3)), tall);
    });
  }
  context.fillStyle = colour("text");
  context.fillRect(Math.min(width - 3, (place.at + 0.5) * each - 1.5), 0, 3, height);
}

// So many pixels a bar needs for what happened, or for its number alone, below it.
const ROOM_FOR_WORDS = 48;
const ROOM_FOR_NUMBER = 24;

/** The texts below the bars, as far as there is room for them. */
function barsOf(place, width) {
  const each = width / place.rows.length;
  if (each < ROOM_FOR_NUMBER) return [];
  return place.rows.map((row, at) => {
    const words = each < ROOM_FOR_WORDS ? null : make("div", {}, wordsOf(row));
    const current = at === place.at ? "true" : null;
    const title = `${row.time}: ${wordsOf(row)}`;
    return make("li", { title, "aria-current": current }, String(at + 1), words);
  });
}

function legendOf(rows) {
  const states = new Set(rows.map(shownState));
  const shown = STATES.filter(([state]) => states.has(state));
  const dot = (state) => make("span", { class: `dot ${state}` });
  return shown.map(([state, words]) => make("li", {}, dot(state), words));
}

function start(data) {
  let place = placeOf(data, location.hash);
  const chosen = { name: null };
  const [strip, bars, slider, moment] = ["strip", "bars", "slider", "moment"].map(byId);
  const links = new Map();
  let timer, room;

  const show = () => {
    const row = place.rows[place.at];
    slider.max = place.rows.length - 1;
    slider.value = place.at;
    slider.setAttribute("aria-valuetext", `${row.time}: ${wordsOf(row)}`);
    const name = place.scope === null ? "all XRs" : data.keys[place.scope];
    byId("where").textContent = `${place.at + 1} of ${place.rows.length}, ${name}`;
    links.forEach((link, xr) => {
      if (xr === place.scope) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    });
    const left = moment.querySelector(".graph")?.scrollLeft ?? 0;
    const focused = document.activeElement?.dataset.name;
    room = moment.clientWidth;
    // The border and the padding around the graph are 18 pixels.
    const graph = graphOf(data.facts[row.fact.graph], data.looks, room - 18, chosen);
    moment.replaceChildren(...momentOf(data, row, place.scope, graph));
    if (moment.querySelector(".graph")) moment.querySelector(".graph").scrollLeft = left;
    const boxes = [...moment.querySelectorAll("[data-name]")];
    boxes.find((box) => box.dataset.name === focused)?.focus({ preventScroll: true });
    byId("legend").replaceChildren(...legendOf(place.rows));
    showStrip();
  };
  const showStrip = () => {
    bars.replaceChildren(...barsOf(place, strip.clientWidth));
    drawStrip(strip, place);
  };
  const go = (at) => {
    place.at = Math.max(0, Math.min(place.rows.length - 1, at));
    // Browsers limit how often an address changes, and a key that is held down is faster.
    clearTimeout(timer);
    timer = setTimeout(() => history.replaceState(null, "", linkTo(data, place.scope, place.rows[place.at].time)), 200);
    show();
  };
  const goToChange = (way) => {
    let at = place.at + way;
    while (place.rows[at] && !place.rows[at].changed) at += way;
    if (place.rows[at]) go(at);
  };

  const entry = (xr, name, count, state) => {
    const link = make("a", { href: linkTo(data, xr, "") }, make("span", { class: `dot ${state}` }),
      make("span", { class: "name" }, name), make("span", { class: "quiet" }, String(count)));
    links.set(xr, link);
    return make("li", {}, link);
  };
  const entries = data.keys.map((key, xr) => entry(xr, key, data.of[xr].length, data.last.get(xr).state));
  byId("list").append(...(entries.length > 1 ? [entry(null, "all", data.rows.length, "changed")] : []), ...entries);
  byId("filter").addEventListener("input", (event) => {
    const wanted = event.target.value.toLowerCase();
    entries.forEach((item, xr) => (item.hidden = !data.keys[xr].toLowerCase().includes(wanted)));
  });

  slider.addEventListener("input", () => go(Number(slider.value)));
  for (const line of [strip, bars]) {
    line.addEventListener("click", (event) => {
      const x = event.clientX - strip.getBoundingClientRect().left;
      go(Math.floor((x / strip.clientWidth) * place.rows.length));
    });
  }
  byId("back").addEventListener("click", () => go(place.at - 1));
  byId("on").addEventListener("click", () => go(place.at + 1));
  byId("back-change").addEventListener("click", () => goToChange(-1));
  byId("on-change").addEventListener("click", () => goToChange(1));
  document.addEventListener("keydown", (event) => {
    const way = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!way || event.altKey || event.ctrlKey || event.metaKey || event.target.id === "filter") return;
    event.preventDefault();
    if (event.shiftKey) goToChange(way);
    else go(place.at + way);
  });
  addEventListener("hashchange", () => {
    clearTimeout(timer);
    place = placeOf(data, location.hash);
    show();
  });
  addEventListener("resize", () => {
    // A phone's bars come and go with scrolling: that must not close what is open.
    if (moment.clientWidth === room) showStrip();
    else show();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", showStrip);

  byId("title").textContent = document.title = data.title;
  const xrs = counted(data.xrs.length, "XR");
  const times = [...new Set([data.rows[0].time, data.rows.at(-1).time])];
  const span = times.flatMap((time, at) => [at ? " to " : "", make("span", { class: "whole" }, time)]);
  byId("summary").append([xrs, counted(data.rows.length, "reconcile"), ""].join(" · "), ...span,
    data.notes.map((note) => ` · ${note}`).join(""));
  byId("count").textContent = xrs;
  byId("app").classList.toggle("single", entries.length === 1);
  byId("xrs").open = entries.length > 1 && matchMedia("(min-width: 56rem)").matches;
  byId("app").hidden = false;
  show();
  if (moment.clientWidth !== room) show(); // what is shown has brought a scroll bar
}

async function main() {
  if (typeof DecompressionStream === "undefined") throw new Error("this browser is too old (no DecompressionStream)");
  const data = await read();
  if (!data.reconciles.length) throw new Error("the recording has no reconcile");
  start(prepare(data));
}

main().catch((error) => {
  byId("problem").textContent = `This page can't be shown: ${error.message}`;
});
