// The ten rounds of notebook 01: one arm a round, and only its digit is told.
"use strict";
Play.start("play-ten", (live) => {
  const { button, checkbox, data: { ten }, element, number, table } = Play;
  const K = 5, ROUNDS = ten.digits.length / K;
  const digit = (round, arm) => Number(ten.digits[round * K + arm]);
  const best = (round) => Math.max(...Array.from({ length: K }, (_, arm) => digit(round, arm)));
  let taken = [];

  const hidden = checkbox("pixels in another order", false, () => show());
  const said = element("p", { id: "play-ten-said", role: "status" });
  const arms = Array.from({ length: K }, (_, arm) => {
    const picture = Digits.canvas();
    const root = button("", () => take(arm), { class: "play-ten-arm" });
    root.append(picture, element("br"), `arm ${arm + 1}`);
    return { root, picture };
  });
  const again = button("start again", () => {
    taken = [];
    show();
    arms[0].root.focus();
  });
  const score = element("div", { id: "play-ten-score" });
  live.append(said,
    element("div", { class: "play-arms play-ten", role: "group", ariaLabel: "the five arms" },
      ...arms.map((arm) => arm.root)),
    element("div", { class: "play-controls" }, again, hidden.root), score);

  function take(arm) {
    if (taken.length === ROUNDS) return;
    taken.push(arm);
    show();
    if (taken.length === ROUNDS) again.focus();
  }

  function show() {
    const over = taken.length === ROUNDS, round = Math.min(taken.length, ROUNDS - 1);
    const last = taken.length - 1;
    const paid = last < 0 ? ""
      : `Round ${last + 1}: arm ${taken[last] + 1} paid ${digit(last, taken[last])}. `;
    said.textContent = paid + (over ? "That was the last round."
      : `Round ${round + 1} of ${ROUNDS}: which arm do you take?`);
    arms.forEach(({ root, picture }, arm) => {
      root.disabled = over;
      Digits.draw(picture, hidden.box.checked ? ten.shuffled : ten.sheet, round * K + arm, K,
        hidden.box.checked ? "an image with its pixels in another order" : "a handwritten digit");
    });
    const players = {
      you: taken,
      Random: [...ten.random].map(Number).slice(0, taken.length),
      Optimal: taken.map((_, r) => Array.from({ length: K }, (_, a) => digit(r, a)).indexOf(best(r))),
    };
    const rows = Object.entries(players).map(([name, choices]) => {
      const earned = choices.map((arm, r) => digit(r, arm));
      const sum = earned.reduce((a, b) => a + b, 0);
      const most = earned.reduce((a, _, r) => a + best(r), 0);
      return [name, String(sum), String(most - sum), earned.length ? number(sum / earned.length, 2) : "—",
        element("span", { class: "play-rewards" }, earned.join(" "))];
    });
    score.replaceChildren(table(["", "reward", "regret", "per round", "each round"], rows,
      `After ${taken.length} of ${ROUNDS} rounds`));
  }
  show();
});
