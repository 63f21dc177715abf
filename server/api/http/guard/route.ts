/** The description of a route, from which the route guard and the OpenAPI document are made. */

import type { Static, TObject, TSchema } from 'typebox'
import type { ApiContext } from '#context'
import type { RequestKind } from '#api/http/rate-limit/rate-limiter'
import type { CountedRequest } from '#api/http/rate-limit/rate-limit'
import type { Scope, TokenLevel } from '#vocabulary/scopes'
import type { Caller } from './caller'
import type { JsonText } from '#api/http/response/answer'
import type { BodySpec } from '#api/http/request/body-limits'
import type { EventStream } from '#api/http/response/event-stream'
import type { JsonStream } from '#api/http/response/export-stream'

/**
 * The values of the parameters of a path: `/v2/objects/:object/records/:record_id` has `object` and `record_id`. A path that is
 * one of several has the parameters of all of them.
 */
export type PathParams<Path extends string> = { readonly [Name in ParamName<Path>]: string }

type ParamName<Path extends string> = Path extends `${string}/:${infer Rest}`
  ? Rest extends `${infer Name}/${infer Tail}`
    ? Name | ParamName<`/${Tail}`>
    : Rest
  : never

/** Elysia matched the request with the path, so it has the parameters of the path. */
export const paramsOf = <Path extends string>(params: Readonly<Record<string, string>>): PathParams<Path> =>
  params as PathParams<Path>

export interface OpenRouteSpec<Q extends TObject, B extends TSchema> extends BodySpec {
  /** The operation's id in the OpenAPI document. */
  readonly operation: string
  readonly summary: string
  readonly description?: string
  readonly tag: string
  readonly query?: Q
  readonly body?: B
  /** The schema of the body in the OpenAPI document, where `body` leaves a part of it to the operation. */
  readonly documentedBody?: TSchema
  /** The media type that follows the redirect of a response with status 302. */
  readonly followedBy?: string
  /** Whether a request without a body is treated as one with the body `{}`. */
  readonly bodyOptional?: boolean
  /** The kind of request for the rate limiter. By default, the method decides. */
  readonly counts?: RequestKind
  /** The schema of the whole body of a response of success. Undefined for a redirect, for a response without a body, and for one that is never JSON. */
  readonly response: TSchema | undefined
  /** Further media types of a response of success, which the client chooses with `Accept` or a parameter. */
  readonly otherTypes?: readonly string[]
  /** The status of a response of success, 200 by default. */
  readonly status?: 200 | 201 | 202 | 204 | 302
  /** Whether the operation reads `If-Match`, and so can answer 412. */
  readonly usesIfMatch?: boolean
}

export interface RouteSpec<Q extends TObject, B extends TSchema> extends OpenRouteSpec<Q, B> {
  /** The scopes that the caller needs, all of them. */
  readonly scopes: readonly Scope[]
  /** A caller who has all of one of these does not need `scopes`. */
  readonly otherScopes?: readonly (readonly Scope[])[]
  /** The only level of tokens that may call the operation. Undefined for both. */
  readonly tokenLevel?: TokenLevel
  /** As how many requests a request with this body counts, where the body decides. */
  readonly requestsOf?: (body: Static<B>) => number
  /** Whether 400 also has `statusCode`, which clients of the public API read at this operation. */
  readonly hasStatusCodeTwice?: boolean
  /** Whether a request takes much longer than others: a batch, an export, a stream. These are refused first. */
  readonly isHeavy?: boolean
  /**
   * Whether the answer shows the progress of work in the background, such as a job. What that work wrote then counts as written by the caller:
   * later reads of the caller find it on a replica, or run on the primary.
   */
  readonly showsWork?: boolean
  /** The scopes that a member at the console needs instead of `scopes`. */
  readonly memberScopes?: readonly Scope[]
}

export interface OpenInput<Q extends TObject, B extends TSchema, Path extends string = string> {
  readonly params: PathParams<Path>
  readonly query: Static<Q>
  readonly body: Static<B>
  readonly request: Request
  /** The token of `Authorization: Bearer`. */
  readonly bearer: string | undefined
}

export interface Input<Q extends TObject, B extends TSchema, Path extends string = string> extends OpenInput<
  Q,
  B,
  Path
> {
  readonly context: ApiContext
}

/** A route whose body is `multipart/form-data` with a file in the part `file`. */
export interface UploadSpec<B extends TObject> extends Omit<RouteSpec<TObject<{}>, B>, 'query' | 'bodyOptional'> {
  /** The schema of the parts with texts. */
  readonly body: B
}

/** A file whose bytes are a blob of the workspace. */
export interface SavedFile {
  /** Has 1 to 255 characters. */
  readonly name: string
  /** The type that the client sent. */
  readonly declaredType: string
  readonly digest: Buffer
  readonly size: number
  /** The first bytes, which tell the type. */
  readonly beginning: Uint8Array
}

export interface UploadInput<B extends TObject, Path extends string = string> {
  readonly context: ApiContext
  readonly params: PathParams<Path>
  readonly body: Static<B>
  readonly file: SavedFile
}

/** The result of a route: its whole body as a value or as JSON text, or a stream. */
type Answer = JsonText | JsonStream | EventStream | object
export type Output = Answer | Promise<Answer>

/** A request on its way through the guard. */
export interface IncomingRequest extends CountedRequest {
  /** Whether the write is undone. */
  isDryRun: boolean
  /** Parameters and JSON pointers of members that the route does not read. */
  ignored: readonly string[]
  readonly request: Request
  readonly params: Readonly<Record<string, string>>
  readonly bearer: string | undefined
  /** Undefined before the caller is authenticated. */
  caller: Caller | undefined
}

/** A handler, as Elysia takes it. The plugin `bearerTokens` provides `bearer`. */
export type GuardedHandler = (context: {
  request: Request
  params: unknown
  bearer?: string | undefined
}) => Promise<Response>

/** The arguments of the function of Elysia that adds a route. */
export type GuardedRoute<Path extends string> = readonly [
  path: Path,
  handler: GuardedHandler,
  hook: { parse: 'none'; detail: object },
]

/** Wraps a handler, so that it runs only for authenticated callers with the scopes of the route, and gets valid input. */
export interface RouteGuard {
  <Path extends string, Q extends TObject = TObject<{}>, B extends TSchema = TSchema>(
    path: Path,
    spec: RouteSpec<Q, B>,
    run: (input: Input<Q, B, Path>) => Output,
  ): GuardedRoute<Path>
  /** For a route that receives a file. The input has it when all its bytes are stored. */
  upload<Path extends string, B extends TObject>(
    path: Path,
    spec: UploadSpec<B>,
    run: (input: UploadInput<B, Path>) => Output,
  ): GuardedRoute<Path>
  /** For a route that needs no token. */
  open<Path extends string, Q extends TObject = TObject<{}>, B extends TSchema = TSchema>(
    path: Path,
    spec: OpenRouteSpec<Q, B>,
    run: (input: OpenInput<Q, B, Path>) => Output,
  ): GuardedRoute<Path>
}
