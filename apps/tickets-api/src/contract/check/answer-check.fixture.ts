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
  /** Folder for temporary files. */
  folder: string;
  /** Whether 5xx responses are allowed. */
  mayFail: boolean;
  /** Operations of the contract; default: all. */
  operations?: readonly Operation[] | undefined;
}

/** Checks every response of a test against the contract. */
export interface AnswerCheck {
  /** @throws {Error} when the response violates the contract, or is a 5xx that the test does not expect */
  check: AssertMatchesContract;
  /**
   * Validates all received XML against the XML Schemas, in one batch because starting xmllint takes longer than
   * validating. Does nothing if xmllint is not installed.
   *
   * @throws {Error} with the report of libxml2 on invalid responses
   */
  finish(): Promise<void>;
}

const run = promisify(execFile);
const FILES_PER_RUN = 500;
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
  for (let i = 0; i < texts.length; i += FILES_PER_RUN) {
    const files = texts.slice(i, i + FILES_PER_RUN).map((_, at) => join(folder, `${i + at}.xml`));
    await run(xmllint, ['--noout', '--nonet', '--schema', schema, ...files], {
      maxBuffer: OUTPUT_LIMIT_BYTES,
    });
  }
}
