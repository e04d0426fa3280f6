import type { FactorStore } from './factor-store.ts';
import { createFactors, type FactorChanges, type Factors, updateFactors } from './factors.ts';

/**
 * Reads, changes and writes the factors of an account; decides again when another call wrote them in between, so that
 * of several calls that redeem the same code exactly one succeeds.
 *
 * @param decide returns the changes, or nothing to write nothing
 * @returns the factors before and after; `undefined` if nothing was written
 */
export async function changeFactors(
  store: Pick<FactorStore, 'find' | 'replace'>,
  accountId: string,
  decide: (factors: Factors) => FactorChanges | undefined | null,
): Promise<{ before: Factors; after: Factors } | undefined> {
  for (;;) {
    const before = (await store.find(accountId)) ?? createFactors(accountId);
    const changes = decide(before);
    if (!changes) return undefined;
    const after = updateFactors(before, changes);
    const outcome = await store.replace(after, before.version);
    if (outcome === 'replaced') return { before, after };
    if (outcome === 'passkey_taken') throw new Error('One of the passkeys belongs to another account.');
  }
}
