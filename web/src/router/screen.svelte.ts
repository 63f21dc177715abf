/** The screen that is shown. The one before stays until the code of the next is there. */

import type { Component } from 'svelte'
import { matchRoute, type Match, type Params, type Route } from './match'

type Load = Route['load']

/** A screen is made anew when its path changes; a changed search it must follow itself. */
interface Shown {
  readonly path: string
  readonly frame: Route['frame']
  readonly params: Params
  // oxlint-disable-next-line typescript/no-explicit-any -- as in the table of routes
  readonly component: Component<any>
}

/** Code that was read stays read. */
const loading = new Map<Load, ReturnType<Load>>()

function loadOnce(load: Load): ReturnType<Load> {
  const known = loading.get(load)
  if (known) return known
  const fresh = load().catch((error: unknown) => {
    loading.delete(load) // the next try may be luckier
    throw error
  })
  loading.set(load, fresh)
  return fresh
}

export class Screen {
  shown = $state.raw<Shown | undefined>()
  /** The code could not be read: the connection is gone, or the service was updated under us. */
  isBroken = $state(false)
  #wanted = ''
  #routes: readonly Route[]
  #notFound: Load

  constructor(routes: readonly Route[], notFound: Load) {
    this.#routes = routes
    this.#notFound = notFound
    document.addEventListener('pointerover', (event) => this.#prepare(event))
  }

  async show(path: string): Promise<void> {
    this.#wanted = path
    const { route, params } = this.#find(path)
    try {
      const { default: component } = await loadOnce(route.load)
      if (this.#wanted !== path) return
      this.shown = { path, frame: route.frame, params, component }
      this.isBroken = false
    } catch {
      if (this.#wanted === path) this.isBroken = true
    }
  }

  #find(path: string): Match {
    return matchRoute(this.#routes, path) ?? { route: { path, frame: 'either', load: this.#notFound }, params: {} }
  }

  /** Reads the code of where a link leads while the pointer is still on its way. */
  #prepare({ target }: Event): void {
    const link = target instanceof Element ? target.closest('a') : null
    if (link?.origin !== window.location.origin) return
    const match = matchRoute(this.#routes, link.pathname)
    if (match) void loadOnce(match.route.load).catch(() => {})
  }
}
