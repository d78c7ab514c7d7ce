// What the moving figures share: controls with labels, and charts in the page's own colours.
"use strict";
const Play = (() => {
  const data = {}; // filled by the files in data/
  const here = new URL(".", document.currentScript.src);

  // Builds the figure in place of the picture that stands for it; if that fails, the picture stays.
  function start(id, build) {
    const host = document.getElementById(id);
    const live = element("div", { class: "play-live" });
    host.prepend(live);
    try {
      build(live);
    } catch (error) {
      live.remove();
      throw error;
    }
    for (const still of host.querySelectorAll("img:not(.play-live img)")) still.hidden = true;
    host.classList.add("play-started");
  }

  function element(name, attributes = {}, ...children) {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) {
      if (key in made && key !== "list") made[key === "class" ? "className" : key] = value;
      else made.setAttribute(key === "class" ? "class" : key, value);
    }
    made.append(...children);
    return made;
  }

  const button = (label, act, more = {}) =>
    element("button", { type: "button", onclick: act, ...more }, label);

  // A slider over a list of values; `show` gives their words.
  function slider(label, values, value, changed, show = String) {
    const shown = element("output");
    const range = element("input", { type: "range", min: 0, max: values.length - 1, step: 1,
      ariaLabel: label });
    const tell = () => {
      shown.textContent = show(control.value);
      range.setAttribute("aria-valuetext", shown.textContent);
    };
    const control = {
      root: element("label", { class: "play-slider" }, element("span", {}, label), range, shown),
      range,
      get value() {
        return values[Number(range.value)];
      },
      set value(wanted) {
        range.value = nearest(values, wanted);
        tell();
      },
    };
    range.addEventListener("input", () => {
      tell();
      changed();
    });
    control.value = value;
    return control;
  }

  function nearest(values, wanted) {
    let best = 0;
    values.forEach((v, i) => {
      if (Math.abs(v - wanted) < Math.abs(values[best] - wanted)) best = i;
    });
    return best;
  }

  function select(label, options, value, changed) {
    const box = element("select", { onchange: changed });
    for (const [key, words] of options) box.append(element("option", { value: key }, words));
    box.value = value;
    return {
      root: element("label", { class: "play-select" }, element("span", {}, label), box),
      get value() {
        return box.value;
      },
      set value(wanted) {
        box.value = wanted;
      },
    };
  }

  function checkbox(label, checked, changed, more = {}) {
    const box = element("input", { type: "checkbox", checked, onchange: changed, ...more });
    return { root: element("label", { class: "play-check" }, box, label), box };
  }

  function table(head, rows, caption) {
    const line = (cells, first) =>
      element("tr", {}, ...cells.map((cell, i) => element(i && !first ? "td" : "th",
        { scope: first ? "col" : "row" }, cell)));
    const made = element("table", {}, element("thead", {}, line(head, true)),
      element("tbody", {}, ...rows.map((row) => line(row, false))));
    if (caption) made.prepend(element("caption", {}, caption));
    return made;
  }

  const colour = (name) => getComputedStyle(document.querySelector(".play-live"))
    .getPropertyValue(`--play-${name}`).trim();

  // A uPlot chart that is drawn again when the page turns dark or changes its width.
  function chart(host, label) {
    let plot, last;
    host.setAttribute("role", "img");
    const draw = () => {
      if (!last) return;
      if (plot) plot.destroy();
      host.setAttribute("aria-label", label());
      const [options, values] = last();
      const axes = options.axes.map((axis, i) => ({
        size: i ? 52 : 30,
        labelSize: 22,
        stroke: colour("ink"),
        grid: { stroke: colour("grid"), width: 1 },
        ticks: { stroke: colour("grid"), width: 1 },
        font: "12px system-ui, sans-serif",
        labelFont: "13px system-ui, sans-serif",
        ...axis,
      }));
      const width = Math.max(240, host.clientWidth);
      plot = new uPlot({ width, height: Math.min(340, 180 + width / 4), legend: { show: false },
        cursor: { show: false }, ...options, axes }, values, host);
      host.uplot = plot; // within reach of the console, and of the tests
    };
    let width = 0;
    new ResizeObserver(() => {
      if (host.clientWidth === width) return;
      width = host.clientWidth;
      draw();
    }).observe(host);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
    new MutationObserver(draw).observe(document.body, { attributeFilter: ["data-theme"] });
    return {
      // `make` gives uPlot's options and values, and is called again for other colours.
      show(make) {
        last = make;
        draw();
      },
      // Draws what hooks draw once more, and says `label` again.
      again() {
        host.setAttribute("aria-label", label());
        if (plot) plot.redraw(false);
      },
    };
  }

  // Loads one of the files in data/, which sets data[name]; scripts may be read from a disk, too.
  const loading = {};
  function load(name) {
    loading[name] ||= new Promise((resolve, reject) => {
      const script = element("script", { src: new URL(`data/${name}.js`, here).href });
      script.onload = () => resolve(data[name]);
      script.onerror = () => reject(new Error(`${script.src} cannot be read`));
      document.head.append(script);
    });
    return loading[name];
  }

  // A dashed line across a chart at x, with a word beside it if there is room.
  function mark(plot, x, word = "") {
    const { ctx, bbox } = plot, place = plot.valToPos(x, "x", true);
    ctx.save();
    ctx.strokeStyle = ctx.fillStyle = colour("ink");
    ctx.lineWidth = devicePixelRatio;
    ctx.setLineDash([4 * devicePixelRatio, 4 * devicePixelRatio]);
    ctx.beginPath();
    ctx.moveTo(place, bbox.top);
    ctx.lineTo(place, bbox.top + bbox.height);
    ctx.stroke();
    ctx.font = `${12 * devicePixelRatio}px system-ui, sans-serif`;
    const wide = ctx.measureText(word).width + 6 * devicePixelRatio;
    const left = place + wide > bbox.left + bbox.width;
    ctx.textAlign = left ? "right" : "left";
    ctx.fillText(word, place + (left ? -6 : 6) * devicePixelRatio, bbox.top + 14 * devicePixelRatio);
    ctx.restore();
  }

  const number = (value, digits) => value.toFixed(digits).replace(/^-(?=0\.?0*$)/, "")
    .replace("-", "−");
  const whole = (value) => value.toLocaleString("en-US");

  return {
    button, chart, checkbox, colour, data, element, here, load, mark, number, select, slider,
    start, table, whole,
  };
})();
