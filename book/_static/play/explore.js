// The figures, explored: which curves, how far, each run or the mean, and on which axes.
"use strict";
Play.start("play-figures", (live) => {
  const { checkbox, data, element, load, number, select, slider, table, whole } = Play;
  const names = ["optimal", "deep", "simple", "linucb", "linear", "random"];
  const spare = ["deep", "simple", "linucb", "linear", "other", "random", "optimal"];
  const kinds = { reward: "reward per step", regret: "regret per step" };

  const figure = select("experiment", data.figures.map((f) => [f.name, f.title]), "low_noise", open);
  const quantity = select("show", Object.entries(kinds), "reward", update);
  const runs = checkbox("single runs", false, update);
  const logX = checkbox("log t", false, update);
  const logY = checkbox("log y", false, update);
  const horizon = element("div", { style: "display: contents" });
  const chosen = element("div", { class: "play-controls", role: "group", ariaLabel: "methods" });
  const plot = element("div", { class: "play-chart", id: "play-figures-chart" });
  const values = element("div", { id: "play-figures-values", role: "status" });
  live.append(
    element("div", { class: "play-controls" }, figure.root, quantity.root),
    chosen,
    element("div", { class: "play-controls" }, horizon, runs.root, logX.root, logY.root),
    plot, values);
  let shown, boxes, until, about = "";
  const chart = Play.chart(plot, () => about);
  const paint = (i) => Play.colour(names.includes(shown.methods[i]) ? shown.methods[i]
    : spare[i % spare.length]);

  function open() {
    const name = figure.value;
    load(`figure-${name}`).then((found) => {
      if (figure.value !== name) return; // another was chosen meanwhile
      shown = found;
      boxes = shown.labels.map((label, i) => {
        const made = checkbox("", true, update, { value: shown.methods[i] });
        made.root.append(element("span", { class: "play-key", style: `--key: ${key(i)}` }, label));
        return made;
      });
      chosen.replaceChildren(...boxes.map((made) => made.root));
      until = slider("up to t", shown.t.slice(1), shown.t[shown.t.length - 1], update, whole);
      horizon.replaceChildren(until.root);
      update();
    });
  }
  const key = (i) => (names.includes(shown.methods[i]) ? `var(--play-${shown.methods[i]})`
    : `var(--play-${spare[i % spare.length]})`);

  function update() {
    if (!shown) return;
    if (!shown[quantity.value]) quantity.value = shown.reward ? "reward" : "regret";
    const { mean, half, curves } = shown[quantity.value];
    const last = shown.t.indexOf(until.value) + 1;
    const series = [{}], columns = [shown.t.slice(0, last)], bands = [], rows = [];
    // A logarithm shows no 0 and nothing below it.
    const cut = (values) => values.slice(0, last).map((v) => (logY.box.checked && v <= 0 ? null : v));
    const line = (i, values, more) => {
      series.push({ stroke: () => paint(i), width: 2, points: { show: false }, ...more });
      columns.push(cut(values));
    };
    shown.labels.forEach((label, i) => {
      if (!boxes[i].box.checked || !mean[i]) return;
      const many = curves[i].length > 2;
      if (runs.box.checked) {
        for (const curve of curves[i]) line(i, curve, { width: 1 });
      } else {
        if (many) {
          const edge = (sign) => mean[i].map((v, k) => v + sign * half[i][k]);
          line(i, edge(1), { width: 0 });
          line(i, edge(-1), { width: 0 });
          bands.push({ series: [series.length - 2, series.length - 1], fill: () => `${paint(i)}33` });
        }
        line(i, mean[i], {});
      }
      const v = mean[i][last - 1], h = half[i][last - 1];
      rows.push([element("span", { class: "play-key", style: `--key: ${key(i)}` }, label),
        number(v, 2), many ? `${number(v - h, 2)} to ${number(v + h, 2)}` : "—",
        String(curves[i].length)]);
    });
    about = `${kinds[quantity.value]} of ${rows.length} methods up to step ${whole(until.value)}; `
      + "the table below has the values there.";
    chart.show(() => [{
      scales: {
        x: { time: false, distr: logX.box.checked ? 3 : 1 },
        y: { distr: logY.box.checked ? 3 : 1 },
      },
      axes: [{ label: "time step t" }, { label: kinds[quantity.value] }],
      series, bands,
    }, columns]);
    values.replaceChildren(table(
      [`at t = ${whole(until.value)}`, kinds[quantity.value], "95 % interval", "runs"], rows,
      data.figures.find((f) => f.name === figure.value).title));
  }
  open();
});
