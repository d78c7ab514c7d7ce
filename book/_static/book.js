// What scrolls sideways can be scrolled with the keyboard too.
addEventListener("load", () => {
  const reachable = () => {
    for (const box of document.querySelectorAll("pre, article table, mjx-container[display], div.math")) {
      if (box.scrollWidth > box.clientWidth + 1) box.tabIndex = 0;
    }
  };
  (window.MathJax?.startup?.promise ?? Promise.resolve()).then(reachable);
});
