/** Finds the route of a path. */

import type { Component } from 'svelte'

export type Params = Readonly<Record<string, string>>

export interface Route {
  /** A pattern such as `/objects/:slug`. */
  readonly path: string
  /** Loads the code of the screen. The parameters of the path are properties of the screen. */
  // Each screen has other properties, so the type of a route in the table cannot name them.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly load: () => Promise<{ default: Component<any> }>
  /** Further properties of the screen, for a screen with several paths. */
  readonly properties?: Params
  /**
   * `bare` is shown alone and to anyone, `shell` beside the navigation and to signed-in people; `either` is `shell` to signed-in
   * people and `bare` to others.
   */
  readonly frame: 'shell' | 'bare' | 'either'
}

export interface Match {
  readonly route: Route
  /** The properties of the screen. */
  readonly params: Params
}

/** The first route that matches. */
export function matchRoute(routes: readonly Route[], path: string): Match | undefined {
  for (const route of routes) {
    const params = matchPath(route.path, path)
    if (params !== undefined) return { route, params: { ...route.properties, ...params } }
  }
  return undefined
}

function matchPath(pattern: string, path: string): Params | undefined {
  const [expected, actual] = [partsOf(pattern), partsOf(path)]
  if (expected.length !== actual.length) return undefined
  const params: Record<string, string> = {}
  for (const [index, part] of expected.entries()) {
    const value = actual[index] ?? ''
    if (part.startsWith(':')) params[part.slice(1)] = decode(value)
    else if (part !== value) return undefined
  }
  return params
}

const partsOf = (path: string): string[] => path.split('/').filter((part) => part !== '')

function decode(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part // a malformed escape is left as it is
  }
}
