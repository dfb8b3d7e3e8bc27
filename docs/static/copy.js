// A button at each block of code copies it: of a console block, the commands without prompts and output.
"use strict";

(() => {
  const commands = (text) =>
    text
      .split("\n")
      .filter((line) => line.startsWith("$ "))
      .map((line) => line.slice(2))
      .join("\n");

  const add = (block) => {
    const code = block.querySelector("pre");
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copy";
    const name = block.closest(".highlight-console") ? "Copy commands" : "Copy";
    const show = (text) => {
      button.textContent = text;
    };
    show(name);
    button.addEventListener("click", async () => {
      const text = code.textContent.replace(/\n$/, "");
      try {
        await navigator.clipboard.writeText(commands(text) || text);
        show("Copied");
      } catch {
        show("Not copied");
      }
      setTimeout(show, 2000, name);
    });
    block.append(button);
  };

  document.addEventListener("DOMContentLoaded", () => {
    if (navigator.clipboard) {
      document.querySelectorAll("div.highlight").forEach(add);
    }
  });
})();
