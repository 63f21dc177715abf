/** Validates the answers of console routes in tests against the schemas that the routes declare. */

import { Clean, Errors, Check } from 'typebox/value'
import type { TSchema } from 'typebox'
import { isDeepStrictEqual } from 'node:util'

interface Route {
  readonly method: string
  readonly path: string
  readonly hooks: unknown
}

/** The routes of an Elysia application. */
export interface ConsoleRoutes {
  readonly routes?: readonly Route[]
}

/** The schema of the answers of a route; null for a file, a stream or a redirect; undefined for a route without the guard. */
export function responseOf({ hooks }: Route): TSchema | null | undefined {
  const { detail } = hooks as { readonly detail?: { readonly 'x-response'?: TSchema | null } } // as the route guard writes it
  return detail?.['x-response']
}

/** Throws for a body that its schema refuses, and for one with members that the schema lacks. */
export function checkConsoleAnswer(
  { routes = [] }: ConsoleRoutes,
  method: string,
  pathname: string,
  body: unknown,
): void {
  if (!pathname.startsWith('/console/api/')) return
  const route = routes.find((each) => each.method === method && matches(each.path, pathname))
  const schema = route && responseOf(route)
  if (!route || !schema) return
  if (!Check(schema, body)) {
    const issues = Errors(schema, body).map(({ instancePath, message }) => `${instancePath}: ${message}`)
    throw new Error(`${method} ${route.path} does not follow its schema: ${issues.join('; ')}`)
  }
  if (!isDeepStrictEqual(Clean(schema, structuredClone(body)), body)) {
    throw new Error(`${method} ${route.path} has members that its schema lacks: ${JSON.stringify(body)}`)
  }
}

const matches = (path: string, pathname: string): boolean => {
  const parts = path.split('/')
  const given = pathname.split('/')
  return parts.length === given.length && parts.every((part, at) => part.startsWith(':') || part === given[at])
}
