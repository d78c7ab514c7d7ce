(* Finite sums of real numbers, and the few facts on them that the two other files need. *)

Require Import Reals Lra Lia.
Open Scope R_scope.

(* f 1 + f 2 + … + f n, which is 0 for n = 0. *)
Fixpoint sum_to (f : nat -> R) (n : nat) : R :=
  match n with
  | O => 0
  | S m => sum_to f m + f (S m)
  end.

(* Σ f(l) over 1 <= l < t. *)
Definition sum_before (f : nat -> R) (t : nat) : R := sum_to f (t - 1).

(* A sum of larger terms is larger. *)
Lemma sum_le : forall f g n, (forall i, (1 <= i <= n)%nat -> f i <= g i) ->
  sum_to f n <= sum_to g n.
Proof.
  intros f g n. induction n as [| m IH]; intros H; cbn [sum_to]; [lra |].
  apply Rplus_le_compat; [apply IH; intros i Hi |]; apply H; lia.
Qed.

(* Terms that are equal have equal sums. *)
Lemma sum_eq : forall f g n, (forall i, (1 <= i <= n)%nat -> f i = g i) ->
  sum_to f n = sum_to g n.
Proof.
  intros f g n H. apply Rle_antisym; apply sum_le; intros i Hi; rewrite (H i Hi); lra.
Qed.

(* Σ a = n·a. *)
Lemma sum_const : forall a n, sum_to (fun _ => a) n = INR n * a.
Proof.
  intros a n. induction n as [| m IH]; [simpl; ring |].
  cbn [sum_to]. rewrite IH, S_INR. ring.
Qed.

(* Σ a·f = a·Σ f. *)
Lemma sum_scale : forall a f n, sum_to (fun i => a * f i) n = a * sum_to f n.
Proof.
  intros a f n. induction n as [| m IH]; cbn [sum_to]; [| rewrite IH]; ring.
Qed.

(* Σ (f + g) = Σ f + Σ g. *)
Lemma sum_plus : forall f g n, sum_to (fun i => f i + g i) n = sum_to f n + sum_to g n.
Proof.
  intros f g n. induction n as [| m IH]; cbn [sum_to]; [| rewrite IH]; ring.
Qed.

(* The order of two sums does not matter. *)
Lemma sum_swap : forall (f : nat -> nat -> R) m n,
  sum_to (fun j => sum_to (fun i => f i j) n) m = sum_to (fun i => sum_to (f i) m) n.
Proof.
  intros f m n. induction m as [| k IH]; cbn [sum_to].
  - rewrite sum_const. ring.
  - rewrite IH, sum_plus. reflexivity.
Qed.

(* A sum in which one term is a and all others are b. *)
Lemma sum_one_differs : forall a b i n, (1 <= i <= n)%nat ->
  sum_to (fun j => if Nat.eqb i j then a else b) n = INR n * b + (a - b).
Proof.
  intros a b i n. induction n as [| m IH]; intros Hi; [lia |].
  cbn [sum_to]. destruct (Nat.eqb_spec i (S m)) as [Heq | Hneq].
  - rewrite (sum_eq _ (fun _ => b)), sum_const, S_INR; [ring |].
    intros j Hj. destruct (Nat.eqb_spec i j); [lia | reflexivity].
  - rewrite IH, S_INR by lia. ring.
Qed.
