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

document.addEventListener("DOMContentLoaded", () => {
  // Browsers let pages copy that came over TLS, or from this machine.
  if (navigator.clipboard) document.querySelectorAll("div.highlight").forEach(addButton);
});
