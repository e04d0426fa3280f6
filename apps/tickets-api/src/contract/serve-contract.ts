import type { Middleware } from 'koa';
import type { DocumentOptions } from './contract-documents.ts';
import type { Operation } from './operation.ts';
import { serveDocuments } from './served-document.ts';

/** Paths of all documents. */
const path = /^\/(openapi(-full)?\.json|(schema|problem)\.xsd|docs(\/.*)?)$/;

/**
 * Serves the contract and its documentation. The first request for one of them creates them all: at each start,
 * they would take as much CPU time as everything else, and 20 MiB of memory.
 */
export function serveContract(options: DocumentOptions, operations: readonly Operation[]): Middleware {
  let created: Promise<Middleware> | undefined;
  async function create(): Promise<Middleware> {
    const { createContractDocuments } = await import('./contract-documents.ts');
    return serveDocuments(await createContractDocuments(options, operations));
  }
  return async function serveContractDocument(ctx, next) {
    if (!path.test(ctx.path)) return next();
    created ??= create().catch((err) => {
      created = undefined;
      throw err;
    });
    return (await created)(ctx, next);
  };
}
