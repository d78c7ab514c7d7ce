// The exact law of the random pulls and what lemmas promise of it, as in `bandits.theory`.
// The random branch is taken at step l with probability ε_l = min(1, c/l^p), then each of K arms
// alike. A law is {first, weights}: weights[i] = P(count = first + i).
"use strict";
(function (root) {
  const FLOOR = 1e-25; // smaller weights at either end of a law are dropped
  const RATE = 3 / 28; // of the paper's lemma
  const ANYTIME_RATE = (1 - Math.log(2)) / 2;

  const epsilon = (l, p, c) => Math.min(1, c * Math.exp(-p * Math.log(l)));

  // The sum of one coin for each step l < t, which shows 1 with probability ε_l/K.
  function pulls(t, K, p, c = 1) {
    const weights = new Float64Array(t);
    weights[0] = 1;
    let low = 0, high = 0;
    for (let l = 1; l < t; l++) {
      const chance = epsilon(l, p, c) / K, miss = 1 - chance;
      high += 1;
      for (let i = high; i > low; i--) weights[i] = weights[i] * miss + weights[i - 1] * chance;
      weights[low] *= miss;
      while (low < high && weights[low] < FLOOR) weights[low++] = 0;
      while (high > low && weights[high] < FLOOR) weights[high--] = 0;
    }
    return { first: low, weights: weights.slice(low, high + 1) };
  }

  function expectedPulls(t, K, p, c = 1) {
    let sum = 0;
    for (let l = t - 1; l >= 1; l--) sum += epsilon(l, p, c); // the small ones first
    return sum / K;
  }

  // By ratios of neighbours from the mode on.
  function poisson(mean) {
    const mode = Math.floor(mean), up = [1], down = [];
    for (let n = mode + 1; up[up.length - 1] > FLOOR; n++) up.push((up[up.length - 1] * mean) / n);
    for (let n = mode, w = 1; n > 0 && w > FLOOR; n--) down.push((w *= n / mean));
    const weights = Float64Array.from([...down.reverse(), ...up]);
    const total = weights.reduce((sum, w) => sum + w, 0);
    return { first: mode - down.length, weights: weights.map((w) => w / total) };
  }

  function sumOf(one, other) {
    const weights = new Float64Array(one.weights.length + other.weights.length - 1);
    one.weights.forEach((w, i) => {
      for (let j = 0; j < other.weights.length; j++) weights[i + j] += w * other.weights[j];
    });
    let low = 0, high = weights.length - 1;
    while (low < high && weights[low] < FLOOR) low++;
    while (high > low && weights[high] < FLOOR) high--;
    return { first: one.first + other.first, low, weights: weights.subarray(0, high + 1) };
  }

  function trimmed(law) {
    const low = law.low || 0;
    return { first: law.first + low, weights: law.weights.subarray(low) };
  }

  const at = (law, n) => law.weights[n - law.first] || 0;

  // P(every arm has at least `least` random pulls before t). Given N random steps the counts are
  // multinomial, which is K Poisson counts given their sum, whatever their mean.
  function allPulled(t, K, p, c, least) {
    if (least <= 0) return 1;
    if (least * K > t - 1) return 0;
    const steps = pulls(t, 1, p, c);
    const arm = poisson(expectedPulls(t, K, p, c));
    const skipped = Math.max(0, least - arm.first);
    if (skipped >= arm.weights.length) return 0;
    const enough = { first: arm.first + skipped, weights: arm.weights.subarray(skipped) };
    let together = enough;
    for (let k = 1; k < K; k++) together = trimmed(sumOf(together, enough));
    const any = poisson(expectedPulls(t, 1, p, c));
    let sum = 0;
    steps.weights.forEach((weight, i) => {
      const n = steps.first + i, whole = at(any, n);
      if (whole > 0) sum += (weight * at(together, n)) / whole;
    });
    return Math.min(sum, 1);
  }

  // P(M_t = m), m = 0..K: how many arms no random step before t has drawn.
  function undrawn(t, K, p, c = 1) {
    const law = new Float64Array(K + 1);
    law[K] = 1;
    for (let l = 1; l < t; l++) {
      const chance = epsilon(l, p, c) / K;
      for (let m = 0; m <= K; m++) {
        law[m] = law[m] * (1 - m * chance) + (m < K ? law[m + 1] * (m + 1) * chance : 0);
      }
    }
    return law;
  }

  // The mean of the largest of k digits.
  function bestOf(k) {
    let sum = 0;
    for (let d = 1; d < 10; d++) sum += 1 - (d / 10) ** k;
    return sum;
  }

  // The least E regret_t on digits of a learner that takes no undrawn arm greedily.
  function starvationRegret(t, K, p, c = 1) {
    const eps = epsilon(t, p, c), law = undrawn(t, K, p, c);
    let lost = 0;
    law.forEach((chance, m) => {
      lost += chance * (bestOf(K) - bestOf(Math.max(K - m, 1)));
    });
    return eps * (bestOf(K) - bestOf(1)) + (1 - eps) * lost;
  }

  // The paper's lemma (for c = 1 and p <= 1): P(every arm has >= threshold) >= probability.
  function lemma(t, K, p, version) {
    const u = Math.log(t), q = 1 - p;
    const length = p === 1 ? u : (version === "printed" ? Math.exp(q * u) : Math.expm1(q * u)) / q;
    const threshold = length / (2 * K);
    return {
      threshold,
      atLeast: Math.ceil(threshold * (1 - 1e-12)),
      probability: 1 - K * Math.exp((-RATE * length) / K),
    };
  }

  // Until when the lemma's probability is 0 or less.
  function vacuousUntil(K, p, version) {
    const needed = Math.log(K) / (RATE / K), q = 1 - p;
    let log = needed;
    if (p < 1) log = (version === "printed" ? Math.log(q * needed) : Math.log1p(q * needed)) / q;
    return log < 709 ? Math.exp(log) : Infinity;
  }

  // P(every arm has more than half its expected random pulls from t on, for ever) is at least this.
  const anytime = (t, K, p, c = 1) =>
    1 - K * Math.exp(-ANYTIME_RATE * expectedPulls(t, K, p, c));

  root.Exact = {
    allPulled, anytime, bestOf, epsilon, expectedPulls, lemma, pulls, starvationRegret, undrawn,
    vacuousUntil,
  };
})(typeof module === "object" ? module.exports : globalThis);
