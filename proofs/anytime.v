(* The any-time lemma: no arm ever falls behind a part θ of its expected random pulls.

   At step l the algorithm explores with probability ε_l, and then draws each of the K arms with
   probability 1/K. With B(t) = (1/K) Σ_{l<t} ε_l and c(θ) = 1 - θ + θ ln θ, the probability that
   some arm has at most θ·B(t) random pulls before some t >= t_1 is at most K·exp(-c(θ)·B(t_1)).
   The proof is the one in bandits/theory/anytime.py. The last time is any whole number here; as it
   grows, the probability rises to that of "ever", which is therefore bounded too.

   The axioms behind each result, all of them of the library's real numbers, are printed last. *)

Require Import Reals Lra Lia Bool List.
Require Import sums.
Open Scope R_scope.

(* exp never falls. *)
Lemma exp_rises : forall x y, x <= y -> exp x <= exp y.
Proof.
  intros x y [Hlt | Heq]; [left; apply exp_increasing; assumption | rewrite Heq; lra].
Qed.

(* c(θ) = 1 - θ + θ ln θ, the rate of the any-time lemma. *)
Definition rate (theta : R) : R := 1 - theta + theta * ln theta.

(* c(θ) > 0 for 0 < θ < 1, so that the bound is worth something. *)
Lemma rate_is_positive : forall theta, 0 < theta < 1 -> 0 < rate theta.
Proof.
  intros theta Htheta. unfold rate.
  assert (Hln : ln theta < 0) by (rewrite <- ln_1; apply ln_increasing; lra).
  assert (Hexp : 1 + - ln theta < exp (- ln theta)) by (apply exp_ineq1; lra).
  rewrite exp_Ropp, exp_ln in Hexp by lra.
  assert (theta * (1 + - ln theta) < theta * / theta) by (apply Rmult_lt_compat_l; lra).
  rewrite Rinv_r in * by lra. lra.
Qed.

(* The value of θ^(θb)·exp((1-θ)b): it is exp(c(θ)·b). *)
Lemma value_on_the_line : forall theta b,
  Rpower theta (theta * b) * exp ((1 - theta) * b) = exp (rate theta * b).
Proof.
  intros theta b. unfold Rpower, rate. rewrite <- exp_plus. f_equal. ring.
Qed.

(* One step of the supermartingale: with ξ = 1 with probability ε/K and 0 otherwise,
   E θ^ξ = (1 - ε/K) + (ε/K)·θ <= exp(-(1-θ)·ε/K). It is 1 + x <= exp(x), which holds for every
   x, so that θ, ε and K need no bounds here. *)
Lemma one_step : forall theta eps K : R,
  (1 - eps / K) + eps / K * theta <= exp (- (1 - theta) * (eps / K)).
Proof.
  intros theta eps K. assert (H := exp_ineq1_le (- (1 - theta) * (eps / K))). lra.
Qed.

Section Any_time.

Variable eps : nat -> R. (* ε_1, ε_2, …, any schedule *)
Hypothesis eps_range : forall l, 0 <= eps l <= 1.
Variable K : nat. (* the number of arms, which are called 1, 2, …, K *)
Hypothesis K_range : (1 <= K)%nat.
Variable theta : R.
Hypothesis theta_range : 0 < theta < 1.
Variable t_1 : nat.
Hypothesis t_1_range : (1 <= t_1)%nat.

(* B(t) = (1/K) Σ_{l<t} ε_l, the expected random pulls of one arm before t. *)
Definition B (t : nat) : R := sum_before (fun l => eps l / INR K) t.

(* Whether an arm with n random pulls before t counts as behind: t >= t_1 and n <= θ·B(t). *)
Definition behind (t n : nat) : bool :=
  if le_dec t_1 t then if Rle_dec (INR n) (theta * B t) then true else false else false.

(* The probability that an arm with n random pulls before t is behind at one of the times
   t, t+1, …, t+m, by the law of total probability: step t adds a pull with probability ε_t/K,
   whatever happened before. *)
Fixpoint ever_behind (m t n : nat) : R :=
  if behind t n then 1
  else match m with
       | O => 0
       | S k => (1 - eps t / INR K) * ever_behind k (S t) n
                + eps t / INR K * ever_behind k (S t) (S n)
       end.

(* M = θ^n·exp((1-θ)·B(t)), for an arm with n random pulls before t. *)
Definition M (t n : nat) : R := theta ^ n * exp ((1 - theta) * B t).

(* An arm's chance of a random pull at step l, ε_l/K, is a probability. *)
Lemma chance_range : forall l, 0 <= eps l / INR K <= 1.
Proof.
  intros l. assert (H := eps_range l). assert (HK := le_INR 1 K K_range). simpl in HK.
  assert (0 < / INR K <= 1).
  { split; [apply Rinv_0_lt_compat; lra |]. rewrite <- Rinv_1. apply Rinv_le_contravar; lra. }
  unfold Rdiv. nra.
Qed.

(* B grows by ε_t/K at step t. *)
Lemma B_next : forall t, (1 <= t)%nat -> B (S t) = B t + eps t / INR K.
Proof.
  intros [| m] Ht; [lia |]. unfold B, sum_before. simpl. rewrite Nat.sub_0_r. reflexivity.
Qed.

(* B does not fall after t_1. *)
Lemma B_rises : forall t, (t_1 <= t)%nat -> B t_1 <= B t.
Proof.
  intros t Ht. induction Ht as [| t Ht IH]; [lra |].
  rewrite B_next by lia. assert (H := chance_range t). lra.
Qed.

(* M is above 0. *)
Lemma M_positive : forall t n, 0 < M t n.
Proof.
  intros t n. apply Rmult_lt_0_compat; [apply pow_lt; lra | apply exp_pos].
Qed.

(* M is a supermartingale: one step does not raise its expectation. *)
Lemma supermartingale : forall t n, (1 <= t)%nat ->
  (1 - eps t / INR K) * M (S t) n + eps t / INR K * M (S t) (S n) <= M t n.
Proof.
  intros t n Ht. unfold M. rewrite B_next by assumption.
  assert (Hstep := one_step theta (eps t) (INR K)).
  set (x := eps t / INR K) in *. rewrite Rmult_plus_distr_l, exp_plus. cbn [pow].
  replace (_ + _) with (theta ^ n * exp ((1 - theta) * B t) * (((1 - x) + x * theta)
    * exp ((1 - theta) * x))) by ring.
  assert (Hfactor : ((1 - x) + x * theta) * exp ((1 - theta) * x) <= 1).
  { apply Rle_trans with (exp (- (1 - theta) * x) * exp ((1 - theta) * x)).
    - apply Rmult_le_compat_r; [left; apply exp_pos | exact Hstep].
    - rewrite <- exp_plus. replace (_ + _) with 0 by ring. rewrite exp_0. lra. }
  assert (Hpos := M_positive t n). unfold M in Hpos.
  rewrite <- Rmult_1_r. apply Rmult_le_compat_l; lra.
Qed.

(* Where the arm is behind, M is at least exp(c(θ)·B(t_1)). *)
Lemma M_is_large_behind : forall t n, behind t n = true -> exp (rate theta * B t_1) <= M t n.
Proof.
  intros t n Hbehind. unfold behind in Hbehind.
  destruct (le_dec t_1 t) as [Ht |]; [| discriminate].
  destruct (Rle_dec (INR n) (theta * B t)) as [Hn |]; [| discriminate].
  assert (Hln : ln theta < 0) by (rewrite <- ln_1; apply ln_increasing; lra).
  apply Rle_trans with (exp (rate theta * B t)).
  - assert (Hrate := rate_is_positive theta theta_range). assert (HB := B_rises t Ht).
    apply exp_rises, Rmult_le_compat_l; lra.
  - rewrite <- value_on_the_line. unfold M. apply Rmult_le_compat_r; [left; apply exp_pos |].
    rewrite <- Rpower_pow by lra. apply exp_rises. nra.
Qed.

(* Ville's inequality for M, by induction on the number of steps left. *)
Lemma ville : forall m t n, (1 <= t)%nat ->
  ever_behind m t n <= M t n * exp (- (rate theta * B t_1)).
Proof.
  assert (Hexp := exp_pos (- (rate theta * B t_1))).
  assert (Hnow : forall t n, behind t n = true -> 1 <= M t n * exp (- (rate theta * B t_1))).
  { intros t n Hbehind. assert (H := M_is_large_behind t n Hbehind).
    replace 1 with (exp (rate theta * B t_1) * exp (- (rate theta * B t_1))).
    - apply Rmult_le_compat_r; lra.
    - rewrite <- exp_plus, Rplus_opp_r. apply exp_0. }
  induction m as [| k IH]; intros t n Ht; cbn [ever_behind];
    destruct (behind t n) eqn:Hbehind; try (apply Hnow; assumption).
  - assert (H := M_positive t n). nra.
  - assert (Hmiss := IH (S t) n ltac:(lia)). assert (Hhit := IH (S t) (S n) ltac:(lia)).
    assert (Hsuper := supermartingale t n Ht). assert (Hx := chance_range t).
    set (x := eps t / INR K) in *. set (e := exp (- (rate theta * B t_1))) in *.
    apply Rle_trans with ((1 - x) * (M (S t) n * e) + x * (M (S t) (S n) * e)).
    + apply Rplus_le_compat; apply Rmult_le_compat_l; lra.
    + replace (_ + _) with (((1 - x) * M (S t) n + x * M (S t) (S n)) * e) by ring.
      apply Rmult_le_compat_r; lra.
Qed.

(* The any-time lemma for one arm, up to any last time 1 + m: the probability that it has at most
   θ·B(t) random pulls before some t from t_1 to there is at most exp(-c(θ)·B(t_1)). *)
Theorem any_time_one_arm : forall m, ever_behind m 1 0 <= exp (- (rate theta * B t_1)).
Proof.
  intros m. assert (H := ville m 1 0 ltac:(lia)). unfold M, B at 1, sum_before in H.
  simpl in H. rewrite Rmult_0_r, exp_0 in H. lra.
Qed.

(* ── All arms ────────────────────────────────────────────────────────────────────────────────── *)

(* The counts n of all arms after one more random pull of arm j. *)
Definition pulled (j : nat) (n : nat -> nat) : nat -> nat :=
  fun i => if Nat.eqb i j then S (n i) else n i.

(* Whether one of the arms is behind at t. *)
Definition some_behind (t : nat) (n : nat -> nat) : bool :=
  existsb (fun i => behind t (n i)) (seq 1 K).

(* The probability that some arm is behind at one of the times t, t+1, …, t+m, where arm i has n(i)
   random pulls before t. Step t explores with probability ε_t, and then pulls each arm with
   probability 1/K; so the arms' counts are not independent. *)
Fixpoint some_ever_behind (m t : nat) (n : nat -> nat) : R :=
  if some_behind t n then 1
  else match m with
       | O => 0
       | S k => (1 - eps t) * some_ever_behind k (S t) n
                + sum_to (fun j => eps t / INR K * some_ever_behind k (S t) (pulled j n)) K
       end.

(* The probability is not negative. *)
Lemma ever_behind_not_negative : forall m t n, 0 <= ever_behind m t n.
Proof.
  induction m as [| k IH]; intros t n; cbn [ever_behind]; destruct (behind t n); try lra.
  assert (Hx := chance_range t). apply Rplus_le_le_0_compat; apply Rmult_le_pos; try apply IH; lra.
Qed.

(* One step seen by all arms together is one step seen by each of them. *)
Lemma one_step_of_all : forall (f : nat -> R) (n : nat -> nat) e,
  (1 - e) * sum_to (fun i => f (n i)) K
  + sum_to (fun j => e / INR K * sum_to (fun i => f (pulled j n i)) K) K
  = sum_to (fun i => (1 - e / INR K) * f (n i) + e / INR K * f (S (n i))) K.
Proof.
  intros f n e. assert (HK : 0 < INR K) by (apply lt_0_INR; lia).
  rewrite sum_scale, (sum_swap (fun i j => f (pulled j n i))), <- !sum_scale, <- sum_plus.
  apply sum_eq. intros i Hi. unfold pulled.
  rewrite (sum_eq _ (fun j => if Nat.eqb i j then f (S (n i)) else f (n i))).
  - rewrite sum_one_differs by assumption. field. lra.
  - intros j _. destruct (Nat.eqb i j); reflexivity.
Qed.

(* The union bound: at most the sum of the arms' own probabilities. *)
Lemma union_bound : forall m t n,
  some_ever_behind m t n <= sum_to (fun i => ever_behind m t (n i)) K.
Proof.
  assert (Hzero : forall g, (forall i, 0 <= g i) -> 0 <= sum_to g K).
  { intros g Hg. replace 0 with (sum_to (fun _ => 0) K) by (rewrite sum_const; ring).
    apply sum_le. intros i _. apply Hg. }
  assert (Hnow : forall m t n, some_behind t n = true ->
    1 <= sum_to (fun i => ever_behind m t (n i)) K).
  { intros m t n Hsome. apply existsb_exists in Hsome. destruct Hsome as [i [Hi Hbehind]].
    apply in_seq in Hi.
    replace 1 with (sum_to (fun j => if Nat.eqb i j then 1 else 0) K)
      by (rewrite sum_one_differs by lia; ring).
    apply sum_le. intros j _. destruct (Nat.eqb_spec i j) as [<- |].
    - destruct m; cbn [ever_behind]; rewrite Hbehind; lra.
    - apply ever_behind_not_negative. }
  induction m as [| k IH]; intros t n; cbn [some_ever_behind];
    destruct (some_behind t n) eqn:Hsome; try (apply Hnow; assumption).
  - apply Hzero. intros i. apply ever_behind_not_negative.
  - assert (He := eps_range t). assert (Hx := chance_range t).
    apply Rle_trans with ((1 - eps t) * sum_to (fun i => ever_behind k (S t) (n i)) K
      + sum_to (fun j => eps t / INR K * sum_to (fun i => ever_behind k (S t) (pulled j n i)) K) K).
    + apply Rplus_le_compat; [apply Rmult_le_compat_l; [lra | apply IH] |].
      apply sum_le. intros j _. apply Rmult_le_compat_l; [lra | apply IH].
    + rewrite (one_step_of_all (ever_behind k (S t))). right. cbn [ever_behind].
      apply sum_eq. intros i Hi.
      destruct (behind t (n i)) eqn:Hbehind; [| reflexivity].
      assert (Hsome_is : some_behind t n = true); [| congruence].
      apply existsb_exists. exists i. split; [apply in_seq; lia | exact Hbehind].
Qed.

(* The any-time lemma, up to any last time 1 + m: the probability that some arm has at most θ·B(t)
   random pulls before some t from t_1 to there is at most K·exp(-c(θ)·B(t_1)). *)
Theorem any_time_lemma : forall m,
  some_ever_behind m 1 (fun _ => 0%nat) <= INR K * exp (- (rate theta * B t_1)).
Proof.
  intros m. rewrite <- sum_const. apply Rle_trans with (1 := union_bound m 1 (fun _ => 0%nat)).
  apply sum_le. intros i _. apply any_time_one_arm.
Qed.

End Any_time.

Print Assumptions one_step.
Print Assumptions rate_is_positive.
Print Assumptions value_on_the_line.
Print Assumptions any_time_one_arm.
Print Assumptions any_time_lemma.
