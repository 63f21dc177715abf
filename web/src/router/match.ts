/** Finds the route of a path. */

import type { Component } from 'svelte'

export type Params = Readonly<Record<string, string>>

export interface Route {
  /** Like `/objects/:slug`. */
  readonly path: string
  /** Reads the screen's code; a screen takes the parts of its path as properties. */
  // Each screen names its own parts of the path; the table of routes is the one place where they meet.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly load: () => Promise<{ default: Component<any> }>
  /**
   * `bare` is shown alone and to anyone, `shell` beside the navigation and to signed-in people; `either` is `shell` to signed-in
   * people and `bare` to others.
   */
  readonly frame: 'shell' | 'bare' | 'either'
}

export interface Match {
  readonly route: Route
  readonly params: Params
}

/** The first route that fits. */
export function matchRoute(routes: readonly Route[], path: string): Match | undefined {
  for (const route of routes) {
    const params = matchPath(route.path, path)
    if (params !== undefined) return { route, params }
  }
  return undefined
}

function matchPath(pattern: string, path: string): Params | undefined {
  const [wanted, given] = [partsOf(pattern), partsOf(path)]
  if (wanted.length !== given.length) return undefined
  const params: Record<string, string> = {}
  for (const [index, part] of wanted.entries()) {
    const value = given[index] ?? ''
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
    return part // as it was written: there is nothing of that name
  }
}
