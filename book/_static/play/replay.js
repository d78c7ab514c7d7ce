// A run, replayed: what was seen, predicted, drawn and earned at each step of a committed run.
"use strict";
Play.start("play-replay", (live) => {
  const { button, data: { replay }, element, number, select, slider, table, whole } = Play;
  const K = 5, T = replay.digits.length / K;
  const list = (from, to) => Array.from({ length: to - from + 1 }, (_, i) => from + i);
  const digit = (t, arm) => Number(replay.digits[(t - 1) * K + arm]);
  const best = (t) => Math.max(...list(0, K - 1).map((arm) => digit(t, arm)));

  // For each method what it had taken, lost and drawn at random after each step.
  const runs = {};
  for (const [name, run] of Object.entries(replay.methods)) {
    const taken = [new Array(K).fill(0)], regret = [0], random = [0];
    for (let t = 1; t <= T; t++) {
      const arm = Number(run.actions[t - 1]), counts = [...taken[t - 1]];
      counts[arm] += 1;
      taken.push(counts);
      regret.push(regret[t - 1] + best(t) - digit(t, arm));
      random.push(random[t - 1] + Number(run.explored[t - 1]));
    }
    runs[name] = { ...run, taken, regret, random };
  }

  const method = select("method", Object.entries(runs).map(([k, r]) => [k, r.label]), "deep", update);
  const step = slider("step t", list(1, T), 700, update, whole);
  const go = (t) => {
    step.value = Math.max(1, Math.min(T, t));
    update();
  };
  let timer = 0;
  const play = button("play", () => {
    timer ? stop() : (timer = setInterval(() => (step.value < T ? go(step.value + 1) : stop()), 150));
    tell();
  }, { id: "play-replay-run" });
  function stop() {
    clearInterval(timer);
    timer = 0;
    tell();
  }
  function tell() {
    play.textContent = timer ? "pause" : "play";
    said.setAttribute("aria-live", timer ? "off" : "polite");
  }
  const nextRandom = button("next random step", () => {
    const next = runs[method.value].explored.indexOf("1", step.value);
    if (next >= 0) go(next + 1);
  });

  const arms = list(0, K - 1).map((arm) => {
    const picture = Digits.canvas(), bar = element("div"), words = element("small");
    const root = element("div", { class: "play-arm", role: "listitem" }, `arm ${arm + 1}`,
      element("br"), picture, element("div", { class: "play-bar", ariaHidden: "true" }, bar), words);
    return { root, picture, bar, words };
  });
  const said = element("p", { id: "play-replay-said" });
  const sums = element("div", { id: "play-replay-sums" });
  const plot = element("div", { class: "play-chart", id: "play-replay-chart" });
  live.append(
    element("div", { class: "play-controls" }, method.root, step.root),
    element("div", { class: "play-controls" },
      button("−1", () => go(step.value - 1), { ariaLabel: "one step back" }),
      button("+1", () => go(step.value + 1), { ariaLabel: "one step on" }),
      play, nextRandom,
      button("step 1", () => go(1)), button("step 700", () => go(700)), button("the end", () => go(T))),
    element("div", { class: "play-arms", role: "list", ariaLabel: "the five arms" },
      ...arms.map((arm) => arm.root)),
    said, sums, plot);
  tell();

  let about = "", drawn = "";
  const chart = Play.chart(plot, () => about);

  function update() {
    const run = runs[method.value], t = step.value;
    const arm = Number(run.actions[t - 1]), random = run.explored[t - 1] === "1", top = best(t);
    const sheet = Math.floor((t - 1) / replay.stepsPerSheet);
    arms.forEach(({ root, picture, bar, words }, j) => {
      const predicted = run.predictions[(t - 1) * K + j] / 100;
      Digits.draw(picture, replay.sheets[sheet], ((t - 1) % replay.stepsPerSheet) * K + j,
        replay.across, `arm ${j + 1} shows a ${digit(t, j)}`);
      root.classList.toggle("play-taken", j === arm);
      bar.style.width = `${Math.max(0, Math.min(100, predicted * (100 / 9)))}%`;
      words.replaceChildren(`${run.says} ${number(predicted, 2)}`, element("br"),
        `taken ${whole(run.taken[t][j])} ×`, element("br"),
        j === arm ? element("strong", {}, "← taken") : digit(t, j) === top ? "best" : "\u00a0");
    });
    const why = run.explores
      ? `The random number ${number(replay.eta[t - 1], 4)} is ${random ? "at most" : "above"} `
        + `ε = 1/${whole(t)}, so ${random ? "the arm is drawn at random" : "the best prediction decides"}`
      : "It never explores: the highest number decides";
    const lost = top - digit(t, arm);
    said.textContent = `Step ${whole(t)}. ${why}: arm ${arm + 1}, which pays ${digit(t, arm)}. `
      + `The best pays ${top}, so the regret is ${lost}.`;
    const never = list(1, K).filter((j) => run.taken[t][j - 1] === 0);
    sums.replaceChildren(
      table(["after this step", ...list(1, K).map((j) => `arm ${j}`)],
        [["times taken", ...run.taken[t].map(whole)]]),
      element("p", {}, `Regret so far ${whole(run.regret[t])}, `
        + `${number(run.regret[t] / t, 3)} per step; ${run.random[t]} random steps. `
        + (never.length ? `Never taken: arm ${never.join(", arm ")}.` : "Every arm has been taken.")));
    about = `Regret per step of ${run.label} over ${whole(T)} steps; `
      + `${number(run.regret[t] / t, 3)} at step ${whole(t)}.`;
    if (drawn === method.value) {
      chart.again();
    } else {
      drawn = method.value;
      draw(run);
    }
  }

  function draw(run) {
    const t = list(1, T);
    chart.show(() => [{
      scales: { x: { time: false }, y: { range: (_, low, high) => [0, Math.min(high, 5)] } },
      axes: [{ label: "time step t" }, { label: "regret per step so far" }],
      series: [{}, { stroke: Play.colour(method.value), width: 2, points: { show: false } }],
      hooks: { draw: [(u) => Play.mark(u, step.value)] },
    }, [t, t.map((s) => run.regret[s] / s)]]);
  }
  update();
});
