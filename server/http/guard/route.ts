/** What a route says about itself: to the door that guards it, and to the document that describes it. */

import type { Static, TObject, TSchema } from 'typebox'
import type { ApiContext } from '../../context'
import type { RequestKind } from '../rate-limit/rate-limiter'
import type { Scope } from '../../scopes'
import type { JsonText } from '../response/answer'
import type { BodySpec } from '../request/body-limits'
import type { EventStream } from '../response/event-stream'

/** The names that stand for something in paths. Which of them a route has, its path says. */
export type PathParams = Readonly<
  Record<
    | 'object'
    | 'list'
    | 'record_id'
    | 'entry_id'
    | 'attribute'
    | 'option'
    | 'status'
    | 'view_id'
    | 'webhook_id'
    | 'delivery_id'
    | 'test_endpoint_id'
    | 'workspace_member_id',
    string
  >
>

export interface OpenRouteSpec<Q extends TObject, B extends TSchema> extends BodySpec {
  /** The operation's id in the OpenAPI document. */
  readonly operation: string
  readonly summary: string
  readonly description?: string
  readonly tag: string
  readonly query?: Q
  readonly body?: B
  /** Whether a request without a body counts as one with `{}`. */
  readonly bodyOptional?: boolean
  /** What it counts as against the limits of its caller; otherwise its method decides. */
  readonly counts?: RequestKind
  /** The whole body of a 200 answer. */
  readonly response: TSchema
}

export interface RouteSpec<Q extends TObject, B extends TSchema> extends OpenRouteSpec<Q, B> {
  /** All of them are needed; a function where the path decides. */
  readonly scopes: readonly Scope[] | ((params: PathParams) => readonly Scope[])
  /** These do as well: what an older contract asked for. */
  readonly otherScopes?: readonly Scope[]
  /** What a member at the console needs instead of `scopes`, where their role would keep them from it. */
  readonly memberScopes?: readonly Scope[]
}

export interface OpenInput<Q extends TObject, B extends TSchema> {
  readonly params: PathParams
  readonly query: Static<Q>
  readonly body: Static<B>
  readonly request: Request
}

export interface Input<Q extends TObject, B extends TSchema> extends OpenInput<Q, B> {
  readonly context: ApiContext
}

/** What a route hands back: its whole body as a plain value, or as text rendered already. */
export type Output = JsonText | EventStream | object | Promise<JsonText | EventStream | object>

/** What Elysia calls for a route, and what it is told of it. */
export type Guarded = readonly [
  handler: (context: { request: Request; params: unknown }) => Promise<Response>,
  hook: { parse: 'none'; detail: object },
]

/** Wraps a handler so that it runs only for callers who may, with what they sent read and checked. */
export interface RouteGuard {
  <Q extends TObject = TObject<{}>, B extends TSchema = TSchema>(
    spec: RouteSpec<Q, B>,
    run: (input: Input<Q, B>) => Output,
  ): Guarded
  /** The same for a route that needs no token. */
  open<Q extends TObject = TObject<{}>, B extends TSchema = TSchema>(
    spec: OpenRouteSpec<Q, B>,
    run: (input: OpenInput<Q, B>) => Output,
  ): Guarded
}
