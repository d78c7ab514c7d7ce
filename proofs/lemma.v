(* The sum of the exploration rates ε_l = l^(-p), 0 < p < 1, in the paper's Lemma 3.4, part II.

   The paper's appendix says Σ_{l<t} l^(-p) >= t^q/q with q = 1 - p. Here the sum is shown to lie
   between (t^q - 1)/q and (t-1)^q/q, so that the printed line is false for every t. The same is
   said in bandits/theory/lemma.py, whose lower bound L_p(t) is the (t^q - 1)/q of this file.

   The axioms behind each result, all of them of the library's real numbers, are printed last. *)

Require Import Reals Lra Lia.
Require Import sums.
Open Scope R_scope.

(* n^q for a whole n >= 0 and q > 0. The library's Rpower is meant for a base above 0 only, so
   0^q = 0 has to be said. *)
Definition power (n : nat) (q : R) : R :=
  match n with
  | O => 0
  | S _ => Rpower (INR n) q
  end.

Section Lemma_part_II.

Variable p : R.
Hypothesis p_range : 0 < p < 1.
Let q := 1 - p.

(* The paper's exploration rate, ε_l = l^(-p). *)
Definition epsilon (l : nat) : R := Rpower (INR l) (- p).

(* x^(-p) falls as x grows. *)
Lemma epsilon_falls : forall x y, 0 < x <= y -> Rpower y (- p) <= Rpower x (- p).
Proof.
  intros x y Hxy. rewrite !Rpower_Ropp. apply Rinv_le_contravar.
  - apply exp_pos.
  - apply Rle_Rpower_l; lra.
Qed.

(* The mean value theorem for x^q/q, whose derivative is x^(-p): it rises between x and x + 1 by
   z^(-p) for some z between them. *)
Lemma mean_value : forall x, 0 < x ->
  exists z, x < z < x + 1 /\ (Rpower (x + 1) q - Rpower x q) / q = Rpower z (- p).
Proof.
  intros x Hx.
  destruct (MVT_cor2 (fun y => Rpower y q) (fun y => q * Rpower y (q - 1)) x (x + 1))
    as [z [Hz Hbetween]]; [lra | |].
  - intros y Hy. apply derivable_pt_lim_power. lra.
  - exists z. split; [assumption |]. rewrite Hz. replace (q - 1) with (- p) by (unfold q; ring).
    field. unfold q. lra.
Qed.

(* One term from above: l^(-p) <= (l^q - (l-1)^q)/q for every whole l >= 1. *)
Lemma one_term_above : forall m : nat, epsilon (S m) <= (power (S m) q - power m q) / q.
Proof.
  intros [| k].
  - unfold epsilon, power. change (INR 1) with 1.
    unfold Rpower. rewrite ln_1, !Rmult_0_r, exp_0.
    assert (1 <= / q) by (rewrite <- Rinv_1; apply Rinv_le_contravar; unfold q; lra).
    unfold Rdiv. lra.
  - assert (Hk : 0 < INR (S k)) by (apply lt_0_INR; lia).
    destruct (mean_value (INR (S k)) Hk) as [z [Hz Hvalue]].
    unfold power, epsilon. rewrite (S_INR (S k)). rewrite Hvalue. apply epsilon_falls. lra.
Qed.

(* One term from below: l^(-p) >= ((l+1)^q - l^q)/q for every whole l >= 1. *)
Lemma one_term_below : forall m : nat, (power (S (S m)) q - power (S m) q) / q <= epsilon (S m).
Proof.
  intros m. assert (Hm : 0 < INR (S m)) by (apply lt_0_INR; lia).
  destruct (mean_value (INR (S m)) Hm) as [z [Hz Hvalue]].
  unfold power, epsilon. rewrite (S_INR (S m)). rewrite Hvalue. apply epsilon_falls. lra.
Qed.

(* The sum from above: Σ_{l<t} l^(-p) <= (t-1)^q/q for every whole t >= 1. *)
Theorem sum_above : forall t : nat, (1 <= t)%nat -> sum_before epsilon t <= power (t - 1) q / q.
Proof.
  intros t _. unfold sum_before. induction (t - 1)%nat as [| m IH].
  - simpl. unfold Rdiv. lra.
  - assert (Hterm := one_term_above m). unfold Rdiv in *. cbn [sum_to]. lra.
Qed.

(* The sum from below, which is what the corrected lemma puts in the place of the printed line:
   Σ_{l<t} l^(-p) >= L_p(t) = (t^q - 1)/q for every whole t >= 1. *)
Theorem sum_below : forall t : nat, (1 <= t)%nat -> (power t q - 1) / q <= sum_before epsilon t.
Proof.
  intros t Ht. unfold sum_before. replace t with (S (t - 1)) at 1 by lia.
  induction (t - 1)%nat as [| m IH].
  - simpl. unfold Rpower. rewrite ln_1, Rmult_0_r, exp_0. unfold Rdiv. lra.
  - assert (Hterm := one_term_below m). unfold Rdiv in *. cbn [sum_to]. lra.
Qed.

(* (t-1)^q < t^q for every whole t >= 1. *)
Lemma power_rises : forall t : nat, (1 <= t)%nat -> power (t - 1) q < power t q.
Proof.
  intros [| [| k]] Ht; [lia | |].
  - simpl. apply exp_pos.
  - replace (S (S k) - 1)%nat with (S k) by lia. unfold power. apply Rlt_Rpower_l.
    + unfold q. lra.
    + split; [apply lt_0_INR | apply lt_INR]; lia.
Qed.

(* The paper's proof of Lemma 3.4, part II, rests on Σ_{l<t} l^(-p) >= t^(1-p)/(1-p). It is false
   for every whole t >= 1 and every p between 0 and 1. *)
Theorem printed_inequality_is_false : forall t : nat, (1 <= t)%nat ->
  ~ (sum_before epsilon t >= power t q / q).
Proof.
  intros t Ht Hprinted.
  assert (Habove := sum_above t Ht). assert (Hrises := power_rises t Ht).
  assert (Hstrict : power (t - 1) q / q < power t q / q).
  { apply Rmult_lt_compat_r; [apply Rinv_0_lt_compat; unfold q |]; lra. }
  lra.
Qed.

End Lemma_part_II.

Print Assumptions sum_above.
Print Assumptions sum_below.
Print Assumptions printed_inequality_is_false.
