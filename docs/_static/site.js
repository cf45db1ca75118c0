// A button at each block of code copies it: of a console the commands alone, without what they print.
function copied(text) {
  const lines = text.replace(/\n$/, "").split("\n");
  if (!lines.some((line) => line.startsWith("$ "))) return lines.join("\n");
  const commands = [];
  let goesOn = false;
  for (const line of lines) {
    if (goesOn || line.startsWith("$ ")) {
      commands.push(goesOn ? line : line.slice(2));
      goesOn = line.endsWith("\\");
    }
  }
  return commands.join("\n");
}

function addButton(block) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "copy";
  button.textContent = "Copy";
  button.setAttribute("aria-label", "Copy this block of code");
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(copied(block.querySelector("pre").textContent));
    button.textContent = "Copied";
    setTimeout(() => (button.textContent = "Copy"), 2000);
  });
  block.append(button);
}

// What is wider than its place can be moved with the keyboard, too.
function reachAll() {
  for (const place of document.querySelectorAll("div.highlight pre, .table-wrapper")) {
    if (place.scrollWidth > place.clientWidth) place.tabIndex = 0;
    else place.removeAttribute("tabindex");
  }
}

document.addEventListener("DOMContentLoaded", () => {
  // The theme's two sidebars are told apart by their names.
  document.querySelector(".sidebar-drawer")?.setAttribute("aria-label", "Pages");
  document.querySelector(".toc-drawer")?.setAttribute("aria-label", "On this page");
  reachAll();
  addEventListener("resize", reachAll);
  // Browsers let pages copy that came over TLS, or from this machine.
  if (navigator.clipboard) document.querySelectorAll("div.highlight").forEach(addButton);
});
