import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findService } from '@keydesk/testing';
import { type ContractOptions, createDocument } from '../openapi/create-document.ts';
import type { Operation } from '../operation.ts';
import { operations as contractOperations } from '../operations.ts';
import { createXmlSchemas } from '../xsd/create-xml-schemas.ts';
import {
  type AssertMatchesContract,
  type ContractAnswer,
  createContractCheck,
} from './contract-check.fixture.ts';

export interface AnswerCheckOptions extends ContractOptions {
  /** Where files may be written. */
  folder: string;
  /** Whether an answer may say that the API has failed. */
  mayFail: boolean;
  /** By default the whole contract. */
  operations?: readonly Operation[] | undefined;
}

/** Judges every answer that a test receives by the contract. */
export interface AnswerCheck {
  /** @throws {Error} when the answer is not as documented, or tells of a failure that no test asked for */
  check: AssertMatchesContract;
  /**
   * Judges all XML that was received by the XML Schemas: at the end and at once, for starting xmllint costs more than
   * what it does. Nothing where xmllint is missing.
   *
   * @throws {Error} with what libxml2 says of the answers that are not as the schemas allow
   */
  finish(): Promise<void>;
}

const run = promisify(execFile);
const FILES_OF_A_RUN = 500;
const OUTPUT_LIMIT_BYTES = 64 * 1024 * 1024;

export function createAnswerCheck({
  folder,
  mayFail,
  operations = contractOperations,
  ...options
}: AnswerCheckOptions): AnswerCheck {
  const received = new Set<string>();
  let assertMatchesContract: AssertMatchesContract | undefined;
  return {
    check(method, path, answer) {
      assertMatchesContract ??= createContractCheck(createDocument(operations, options));
      if (answer.status >= 500 && !mayFail && !path.startsWith('/readyz')) {
        throw new Error(`${answer.status} to ${method} ${path}: ${answer.text}`);
      }
      assertMatchesContract(method, path, answer);
      if (isXmlOfOperation(path, answer)) received.add(answer.text);
    },
    async finish() {
      const xmllint = findService('xmllint');
      if (xmllint === undefined || received.size === 0) return;
      await validate(xmllint, join(folder, 'xml'), [...received]);
    },
  };
}

function isXmlOfOperation(path: string, { headers, text }: ContractAnswer): boolean {
  return (
    text !== '' &&
    !path.endsWith('.xsd') &&
    /^application\/(problem\+)?xml/.test(headers.get('Content-Type') ?? '')
  );
}

async function validate(xmllint: string, folder: string, texts: readonly string[]): Promise<void> {
  const { resources, problems } = createXmlSchemas(contractOperations, 'problem.xsd');
  const schema = join(folder, 'schema.xsd');
  await mkdir(folder, { recursive: true });
  await Promise.all([
    writeFile(schema, resources),
    writeFile(join(folder, 'problem.xsd'), problems),
    ...texts.map((text, i) => writeFile(join(folder, `${i}.xml`), text)),
  ]);
  for (let i = 0; i < texts.length; i += FILES_OF_A_RUN) {
    const files = texts.slice(i, i + FILES_OF_A_RUN).map((_, at) => join(folder, `${i + at}.xml`));
    await run(xmllint, ['--noout', '--nonet', '--schema', schema, ...files], {
      maxBuffer: OUTPUT_LIMIT_BYTES,
    });
  }
}
