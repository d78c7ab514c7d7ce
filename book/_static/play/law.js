// The law of exploration: how often random steps have reached an arm, and what lemmas promise.
"use strict";
Play.start("play-law", (live) => {
  const { button, element, number, slider, table, whole } = Play;
  const steps = [];
  for (let ten = 1; ten <= 10000; ten *= 10) {
    for (const lead of [1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 7, 8]) {
      const t = lead * ten;
      if (Number.isInteger(t) && t <= 40000) steps.push(t);
    }
  }
  const names = { [1 / 4]: "1/4", [1 / 3]: "1/3", [1 / 2]: "1/2" };
  const exponents = [1 / 3];
  for (let i = 2; i <= 40; i++) exponents.push(i / 20);
  exponents.sort((a, b) => a - b);
  const arms = Array.from({ length: 19 }, (_, i) => i + 2);

  let waiting = false;
  const changed = () => {
    if (waiting) return;
    waiting = true; // a slider that is dragged asks more often than can be answered
    requestAnimationFrame(() => {
      waiting = false;
      update();
    });
  };
  const p = slider("exponent p", exponents, 1, changed, (v) => names[v] || v.toFixed(2));
  const K = slider("arms K", arms, 5, changed);
  const t = slider("time step t", steps, 2000, changed, whole);
  const c = slider("factor c", [0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100], 1, changed);
  const preset = (label, ...values) =>
    button(label, () => {
      [p, K, t, c].forEach((control, i) => (control.value = values[i]));
      update();
    });
  const plot = element("div", { class: "play-chart", id: "play-law-chart" });
  const numbers = element("div", { id: "play-law-numbers" });
  const said = element("p", { id: "play-law-said", role: "status" });
  live.append(
    element("div", { class: "play-controls" }, p.root, K.root, t.root, c.root),
    element("div", { class: "play-controls", role: "group", ariaLabel: "Cases to start from" },
      preset("the paper’s 1/t", 1, 5, 2000, 1),
      preset("p = 1/3", 1 / 3, 5, 2000, 1),
      preset("a printed promise that is false", 0.95, 2, 3, 1),
      preset("more exploration: 20/t", 1, 5, 2000, 20),
      preset("p = 2: exploring stops", 2, 5, 40000, 1)),
    said, plot, numbers);

  let law, promises, about = "";
  const chart = Play.chart(plot, () => about);
  // With more digits near 0 and 1, where they matter.
  function percent(x) {
    if (x === 0 || x === 1) return `${100 * x} %`;
    if (x < 1e-6) return "under 0.0001 %";
    if (x > 1 - 1e-6) return "over 99.9999 %";
    return `${number(100 * x, x < 0.0995 || x > 0.9995 ? 4 : 1)} %`;
  }

  function large(value) {
    if (value < 1e15) return whole(value);
    if (value === Infinity) return "10³⁰⁰ or later";
    const [lead, power] = value.toExponential(1).split("e+");
    return `${lead} · 10${[...power].map((d) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[d]).join("")}`;
  }

  function update() {
    const at = [t.value, K.value, p.value, c.value];
    law = Exact.pulls(...at);
    const gone = Exact.undrawn(...at), mean = Exact.expectedPulls(...at);
    const some = 1 - gone[0], none = law.first === 0 ? law.weights[0] : 0;
    let waits = 0;
    gone.forEach((chance, m) => (waits += m * chance));
    about = `The law of one arm’s random pulls before step ${whole(t.value)}: on average `
      + `${number(mean, 2)}, none at all with probability ${percent(none)}.`;
    said.textContent = `Before step ${whole(t.value)} an arm has been drawn at random `
      + `${number(mean, 2)} times on average. A given arm has never been drawn with probability `
      + `${percent(none)}, some arm with ${percent(some)}; ${number(waits, 2)} of ${K.value} arms `
      + `still wait on average.`;
    const rows = [];
    promises = [];
    const claims = p.value <= 1 && c.value === 1;
    for (const version of claims ? ["printed", "corrected"] : []) {
      const { atLeast, probability } = Exact.lemma(t.value, K.value, p.value, version);
      const truth = Exact.allPulled(...at, atLeast);
      const verdict = probability <= 0 ? "says nothing yet"
        : truth >= probability - 1e-12 ? "holds" : "false";
      if (probability > 0) promises.push([atLeast, version]);
      rows.push([`${version} lemma`, whole(atLeast), probability > 0 ? percent(probability) : "—",
        percent(truth), element("span", { class: verdict === "false" ? "play-bad" : "" }, verdict)]);
    }
    const half = Math.floor((mean / 2) * (1 + 1e-12)) + 1;
    const ever = Exact.anytime(...at);
    rows.push(["for all later steps", whole(half), ever > 0 ? percent(ever) : "—",
      `at t: ${percent(Exact.allPulled(...at, half))}`, ever > 0 ? "proved" : "says nothing yet"]);
    const price = Exact.starvationRegret(...at);
    const notes = [claims ? "" : `The paper’s lemma is about ${p.value > 1
      ? "p ≤ 1: beyond, an arm’s random pulls remain finite" : "c = 1"}. `];
    if (claims) {
      const end = Exact.vacuousUntil(K.value, p.value, "corrected");
      notes.push(`The corrected lemma says something from t = ${large(Math.ceil(end))} on. `);
    }
    notes.push(`On digits, a learner that takes no arm before it was drawn loses at least `
      + `${number(price, 3)} per step here.`);
    numbers.replaceChildren(
      table(["promise", "pulls of each arm, at least", "claimed", "exactly", ""], rows),
      element("p", {}, ...notes));
    draw();
  }

  function draw() {
    let low = 0, high = law.weights.length - 1;
    const visible = Math.max(...law.weights) * 1e-4;
    while (high > low + 3 && law.weights[high] < visible) high--;
    while (low < high - 3 && law.weights[low] < visible) low++;
    if (law.first + low < 10) low = -law.first;
    const x = [], y = [];
    for (let i = low; i <= high; i++) {
      x.push(law.first + i);
      y.push(law.weights[i] || 0);
    }
    chart.show(() => [{
      scales: { x: { time: false, range: [x[0] - 0.6, x[x.length - 1] + 0.6] }, y: { range: [0, Math.max(...y) * 1.08] } },
      axes: [{ label: "random pulls of one arm", incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000] },
        { label: "probability" }],
      hooks: { draw: [(u) => {
        const same = promises.length === 2 && promises[0][0] === promises[1][0];
        const shown = same ? [[promises[0][0], "both lemmas"]] : promises;
        for (const [least, version] of shown) {
          if (least >= x[0] && least <= x[x.length - 1]) Play.mark(u, least - 0.5, version);
        }
      }] },
      series: [{}, {
        stroke: Play.colour("deep"), fill: Play.colour("deep"), width: 1, points: { show: false },
        paths: uPlot.paths.bars({ size: [0.75, 48] }),
      }],
    }, [x, y]]);
  }
  update();
});
