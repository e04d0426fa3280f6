import { MIMEType } from 'node:util';
import { toBasePath } from '../../api/http/base-path.ts';
import type {
  Content,
  HeaderObject,
  MediaType,
  OpenApiDocument,
  OperationObject,
  PathItem,
  PathMethod,
  Reference,
  ResponseObject,
} from '../openapi/document.ts';
import { readAnnotatedXml } from './annotated-xml.fixture.ts';
import { createSchemaCheck } from './schema-check.fixture.ts';

/** Parts of a response that a client sees. */
export interface ContractAnswer {
  status: number;
  headers: Headers;
  text: string;
}

/** @throws {Error} with every difference between the response and the contract */
export type AssertMatchesContract = (method: string, path: string, answer: ContractAnswer) => void;

/** Headers that the contract does not list: those of HTTP, CORS and security. */
const ignoredHeaders =
  /^(access-control-.*|accept(-encoding|-patch|-post)?|connection|content-(encoding|length|security-policy|type)|date|keep-alive|referrer-policy|strict-transport-security|transfer-encoding|vary|x-accel-buffering|x-content-type-options)$/;

const STREAM_TYPE = 'text/event-stream';

/** Paths that are not operations. */
const otherPaths =
  /^\/(healthz|readyz|openapi(-full)?\.json|(schema|problem)\.xsd|docs(\/.*)?|\.well-known\/.*)$/;

/**
 * Compares responses with the document: status, headers, media type and body. It is stricter than the document: a
 * response must not have undocumented headers or members. XML is read by the `xml` annotations and then checked like
 * JSON.
 */
export function createContractCheck(document: OpenApiDocument): AssertMatchesContract {
  const { schemas } = document.components;
  const checkSchema = createSchemaCheck(schemas);
  const basePath = toBasePath(document.servers[0]?.url ?? '');
  const routes = Object.entries(document.paths).map(([path, item]) => ({
    pattern: toPattern(path),
    isStream: !path.endsWith('.{format}'),
    item,
  }));

  function toFaults(method: string, path: string, answer: ContractAnswer): string[] {
    const isStream = answer.headers.get('Content-Type')?.startsWith(STREAM_TYPE) ?? false;
    const route = routes.find((each) => each.isStream === isStream && each.pattern.test(path));
    if (!route) return otherPaths.test(path) || answer.status === 404 ? [] : ['the path is not documented'];
    // Without a suffix, `Accept` may name only unsupported types.
    if (answer.status === 406 && !/\.[^/]*$/.test(path)) return [];
    const operation = route.item[method.toLowerCase() as PathMethod];
    if (operation) return checkAnswer(operation, answer);
    return answer.status === 404 ? [] : checkMethodNotAllowed(route.item, answer);
  }

  function checkAnswer({ responses }: OperationObject, answer: ContractAnswer): string[] {
    const documented = responses[answer.status];
    if (!documented) return ['the status is not documented'];
    const { headers, content } = resolve<ResponseObject>(documented, document);
    return [
      ...Object.entries(headers).flatMap(([name, header]) =>
        checkHeader(name, resolve<HeaderObject>(header, document), answer.headers),
      ),
      ...findUndocumented(headers, answer.headers),
      ...checkBody(content, answer),
    ];
  }

  function checkBody(content: Content | undefined, { headers, text }: ContractAnswer): string[] {
    if (!content) return text === '' ? [] : ['no body is documented'];
    const type = headers.get('Content-Type') ?? 'none/none';
    const media = content[new MIMEType(type).essence];
    if (!media) return [`the media type ${type} is not documented`];
    if (type.startsWith(STREAM_TYPE)) return [];
    const value = type.includes('xml') ? readAnnotatedXml(text, media.schema, schemas) : JSON.parse(text);
    return [...checkSchema(media.schema, value), ...checkCode(media, value)];
  }

  return function assertMatchesContract(method, path, answer) {
    const [sent = ''] = path.split('?');
    const pathname = sent.startsWith(`${basePath}/`) ? sent.slice(basePath.length) : sent;
    const faults = toFaults(method, pathname, answer);
    if (faults.length === 0) return;
    throw new Error(`${answer.status} to ${method} ${path} breaks the contract: ${faults.join('; ')}.`);
  };
}

/** Converts a path template such as `/ticket/{ticket_id}.{format}`; the suffix is optional. */
function toPattern(template: string): RegExp {
  const pattern = template.replace('.{format}', '').replace(/\{\w+\}/g, '[^/]+?');
  return new RegExp(`^${pattern}(\\.[^./]*)?$`);
}

/** Checks the response to an undocumented method: 405 with the documented ones (RFC 9110 §15.5.6). */
function checkMethodNotAllowed(item: PathItem, { status, headers }: ContractAnswer): string[] {
  if (status !== 405) return ['the method is not documented'];
  const { parameters: _, ...operations } = item;
  const documented = Object.keys(operations).map((method) => method.toUpperCase());
  const allowed = headers.get('Allow')?.split(', ') ?? [];
  const isSame = documented.sort().join() === allowed.sort().join();
  return isSame ? [] : [`Allow is ${allowed}, but ${documented} are documented`];
}

function checkHeader(name: string, { required, schema }: HeaderObject, headers: Headers): string[] {
  const value = headers.get(name);
  if (value === null) return required ? [`the header ${name} is missing`] : [];
  const isValid =
    (schema.type !== 'integer' || /^\d+$/.test(value)) &&
    (schema.pattern === undefined || new RegExp(schema.pattern).test(value)) &&
    (schema.enum?.includes(value) ?? true);
  return isValid ? [] : [`the header ${name} is ${value}`];
}

function findUndocumented(documented: object, headers: Headers): string[] {
  const names = new Set(Object.keys(documented).map((name) => name.toLowerCase()));
  return [...headers.keys()]
    .filter((name) => !names.has(name) && !ignoredHeaders.test(name))
    .map((name) => `the header ${name} is not documented`);
}

/** Checks the code of a problem; the examples of a response have the allowed codes as names. */
function checkCode({ examples }: MediaType, body: unknown): string[] {
  const code = (body as { code?: string }).code ?? '';
  return !examples || code in examples ? [] : [`the code ${code} is not documented for this status`];
}

function resolve<Target extends object>(value: Target | Reference, document: OpenApiDocument): Target {
  if (!('$ref' in value)) return value;
  const target = value.$ref
    .split('/')
    .slice(1)
    .reduce<unknown>((inner, name) => (inner as Record<string, unknown>)[name], document);
  return target as Target;
}
