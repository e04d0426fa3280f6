/** The parts of an OpenAPI 3.1 document that the contract uses, as JSON. */
export interface OpenApiDocument {
  openapi: string;
  info: {
    title: string;
    version: string;
    description: string;
    license: { name: string; identifier: string };
  };
  servers: readonly { url: string }[];
  tags: readonly { name: string; description: string }[];
  externalDocs: { url: string; description: string };
  security: readonly SecurityRequirement[];
  paths: Readonly<Record<string, PathItem>>;
  components: {
    schemas: Readonly<Record<string, WireSchema>>;
    responses: Readonly<Record<string, ResponseObject>>;
    headers: Readonly<Record<string, HeaderObject>>;
    securitySchemes: Readonly<Record<string, SecurityScheme>>;
  };
}

export type SecurityRequirement = Readonly<Record<string, readonly string[]>>;

export interface SecurityScheme {
  type: 'oauth2';
  description: string;
  flows: {
    clientCredentials: OAuthFlow;
    authorizationCode: OAuthFlow & { authorizationUrl: string; refreshUrl: string };
  };
}

export interface OAuthFlow {
  tokenUrl: string;
  scopes: Readonly<Record<string, string>>;
}

/** Method in lower case, as the keys of a path item. */
export type PathMethod = 'get' | 'head' | 'post' | 'put' | 'patch' | 'delete' | 'options';

export type PathItem = { parameters: readonly ParameterObject[] } & Partial<
  Record<PathMethod, OperationObject>
>;

export interface OperationObject {
  operationId: string;
  tags: readonly string[];
  summary: string;
  description?: string;
  deprecated?: true;
  security?: readonly SecurityRequirement[];
  parameters?: readonly ParameterObject[];
  requestBody?: RequestBodyObject;
  /** Responses by status. */
  responses: Readonly<Record<string, ResponseObject | Reference>>;
}

export interface RequestBodyObject {
  required: true;
  content: Content;
}

export interface ParameterObject {
  name: string;
  in: 'path' | 'query' | 'header';
  required: boolean;
  description?: string;
  deprecated?: true;
  schema: WireSchema;
  /** Serialization of a list or map: `form` without `explode` joins values by commas, with `explode` repeats parameters. */
  style?: 'form';
  explode?: boolean;
  example?: unknown;
}

export interface ResponseObject {
  description: string;
  headers: Readonly<Record<string, HeaderObject | Reference>>;
  content?: Content;
  links?: Readonly<Record<string, LinkObject>>;
}

/** Media types by name. */
export type Content = Readonly<Record<string, MediaType>>;

export interface MediaType {
  schema: WireSchema;
  example?: unknown;
  examples?: Readonly<Record<string, { value: unknown }>>;
  encoding?: Readonly<Record<string, { style: 'deepObject' | 'form'; explode: true }>>;
}

export interface HeaderObject {
  description: string;
  /** Whether every such response has the header. */
  required?: true;
  schema: WireSchema;
}

export interface LinkObject {
  operationId: string;
  parameters: Readonly<Record<string, string>>;
}

export interface Reference {
  $ref: string;
}

/** JSON Schema (2020-12) with the XML annotations of OpenAPI, reduced to the keywords in use. */
export interface WireSchema {
  $ref?: string;
  type?: string | readonly string[];
  /** Name of the schema as a component of the JSON document. */
  title?: string;
  description?: string;
  enum?: readonly unknown[];
  const?: unknown;
  default?: unknown;
  format?: string;
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  items?: WireSchema;
  minItems?: number;
  maxItems?: number;
  uniqueItems?: boolean;
  properties?: Readonly<Record<string, WireSchema>>;
  required?: readonly string[];
  propertyNames?: WireSchema;
  minProperties?: number;
  maxProperties?: number;
  additionalProperties?: boolean | WireSchema;
  anyOf?: readonly WireSchema[];
  allOf?: readonly WireSchema[];
  readOnly?: boolean;
  examples?: readonly unknown[];
  xml?: XmlAnnotation;
}

/** Representation of a value in XML; by default an element named like the property. */
export interface XmlAnnotation {
  name?: string;
  namespace?: string;
  attribute?: boolean;
  /** Whether an array is wrapped in an element of its own. */
  wrapped?: boolean;
}

const SCHEMAS = '#/components/schemas/';

export function schemaReference(name: string): string {
  return `${SCHEMAS}${name}`;
}

export function nameOfReference(reference: string): string {
  return reference.slice(SCHEMAS.length);
}

/** Resolves a reference; members beside the `$ref` override those of the target. */
export function resolveSchema(schema: WireSchema, schemas: Readonly<Record<string, WireSchema>>): WireSchema {
  if (schema.$ref === undefined) return schema;
  const { $ref, ...overrides } = schema;
  const target = schemas[nameOfReference($ref)];
  if (!target) throw new Error(`The contract has no schema ${$ref}.`);
  return { ...resolveSchema(target, schemas), ...overrides };
}
