/** The shown screen. The previous screen stays until the code of the next one is loaded. */

import type { Component } from 'svelte'
import { splitPath } from './workspace-path'
import { matchRoute, type Match, type Params, type Route } from './match'

type Load = Route['load']

/** A new path creates a new screen. A screen follows changes of the search itself. */
interface Shown {
  readonly path: string
  readonly frame: Route['frame']
  readonly params: Params
  // oxlint-disable-next-line typescript/no-explicit-any -- as in `Route`
  readonly component: Component<any>
}

/** The code of each screen is loaded once. */
const loading = new Map<Load, ReturnType<Load>>()

function loadOnce(load: Load): ReturnType<Load> {
  const running = loading.get(load)
  if (running) return running
  const fresh = load().catch((error: unknown) => {
    loading.delete(load) // allows a retry
    throw error
  })
  loading.set(load, fresh)
  return fresh
}

export class Screen {
  shown = $state.raw<Shown | undefined>()
  /** Whether the code could not be loaded: the connection was lost, or the service was updated. */
  isBroken = $state(false)
  #latestPath = ''
  #routes: readonly Route[]
  #notFound: Load

  constructor(routes: readonly Route[], notFound: Load) {
    this.#routes = routes
    this.#notFound = notFound
    document.addEventListener('pointerover', (event) => this.#prepare(event))
  }

  async show(path: string): Promise<void> {
    this.#latestPath = path
    const { route, params } = this.#find(path)
    try {
      const { default: component } = await loadOnce(route.load)
      if (this.#latestPath !== path) return
      this.shown = { path, frame: route.frame, params, component }
      this.isBroken = false
    } catch {
      if (this.#latestPath === path) this.isBroken = true
    }
  }

  #find(path: string): Match {
    return matchRoute(this.#routes, path) ?? { route: { path, frame: 'either', load: this.#notFound }, params: {} }
  }

  /** Loads the code of a link's screen when the pointer is over the link. */
  #prepare({ target }: Event): void {
    const link = target instanceof Element ? target.closest('a') : null
    if (link?.origin !== window.location.origin) return
    const match = matchRoute(this.#routes, splitPath(link.pathname).path)
    if (match) void loadOnce(match.route.load).catch(() => {})
  }
}
