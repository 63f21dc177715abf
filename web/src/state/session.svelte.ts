/** Who is signed in and in which workspace they are looking around. */

import { credentials } from '../api/client'
import { type ApiError, toApiError } from '../api/errors'
import { readSession, type SessionState, signOut, type Workspace } from '../api/access/session'
import { goTo, location } from '../router/location.svelte'

/** The workspace last looked at: of this tab, else of this browser. */
const REMEMBERED = 'workspace'

class Session {
  state = $state.raw<SessionState | undefined>()
  error = $state.raw<ApiError | undefined>()
  /** The session ended elsewhere, or ran out, while somebody was working. */
  isRevoked = $state(false)
  #workspaceId = $state<string | undefined>()

  readonly account = $derived(this.state?.account ?? undefined)
  readonly workspaces = $derived(this.state?.workspaces ?? [])
  /** Those one may look into. */
  readonly accessibleWorkspaces = $derived(this.workspaces.filter(({ access_level }) => access_level !== 'suspended'))
  readonly workspace: Workspace | undefined = $derived(
    this.accessibleWorkspaces.find(({ id }) => id === this.#workspaceId) ?? this.accessibleWorkspaces[0],
  )
  readonly isAdmin = $derived(this.workspace?.access_level === 'admin')

  constructor() {
    this.#workspaceId = sessionStorage.getItem(REMEMBERED) ?? localStorage.getItem(REMEMBERED) ?? undefined
    credentials.onSignedOut = () => (this.isRevoked = true)
  }

  async load(): Promise<void> {
    try {
      this.state = await readSession()
      this.error = undefined
      this.isRevoked = false
      this.#setCredentials()
    } catch (error) {
      this.error = toApiError(error)
    }
  }

  /** Looks around in another workspace from now on. */
  choose(workspaceId: string): void {
    this.#workspaceId = workspaceId
    sessionStorage.setItem(REMEMBERED, workspaceId)
    localStorage.setItem(REMEMBERED, workspaceId)
    this.#setCredentials()
  }

  /** Signs out; `next` is where to come back to. */
  async leave(next = '/sign-in'): Promise<void> {
    await signOut()
    await this.load()
    goTo(next)
  }

  /** Where to sign in and come back from. */
  get signInUrl(): string {
    const search = location.search.toString()
    const here = location.path + (search === '' ? '' : `?${search}`)
    return `/sign-in?${new URLSearchParams({ next: here })}`
  }

  #setCredentials(): void {
    credentials.csrfToken = this.state?.csrf_token ?? null
    credentials.workspaceId = this.workspace?.id ?? null
  }
}

export const session = new Session()
