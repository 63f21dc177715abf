/** The signed-in account and the current workspace. */

import type { Permission } from '#vocabulary/roles'
import { credentials } from '../api/client'
import { type ApiError, toApiError } from '../api/errors'
import { readSession, type SessionState, signOut, type Workspace } from '../api/access/session'
import { showIn } from '../language'
import { goTo, location } from '../router/location.svelte'
import { inWorkspace, nameInPaths } from '../router/workspace-path'
import { changeEvents } from './events/change-events'

/** The key of the last workspace in the storage of the tab and of the browser. */
const STORAGE_KEY = 'workspace'

/** The key of the time of the last sign-in, by whose change other tabs learn of it. */
const SIGNED_IN_KEY = 'signed in'

class Session {
  state = $state.raw<SessionState | undefined>()
  error = $state.raw<ApiError | undefined>()
  /** The session expired or was ended elsewhere while the console was open. */
  isRevoked = $state(false)
  /** The current workspace was deleted while the console was open, or the account is no member of it any more. */
  isWorkspaceMissing = $state(false)
  /** The address of the missing workspace, when it has moved to another service. */
  movedTo: string | undefined = $state()
  #workspaceId = $state<string | undefined>()

  readonly account = $derived(this.state?.account ?? undefined)
  readonly workspaces = $derived(this.state?.workspaces ?? [])
  /** The workspaces in which the account is not suspended. */
  readonly accessibleWorkspaces = $derived(this.workspaces.filter(({ access_level }) => access_level !== 'suspended'))
  /** The workspace of the URL. Undefined if the account is no member of it. For an address without one, the last or the first one. */
  readonly workspace: Workspace | undefined = $derived.by(() => {
    const { workspace: name } = location
    if (name !== undefined) return this.accessibleWorkspaces.find(({ id, slug }) => slug === name || id === name)
    return this.firstWorkspace
  })
  readonly firstWorkspace: Workspace | undefined = $derived(
    this.accessibleWorkspaces.find(({ id }) => id === this.#workspaceId) ??
      this.accessibleWorkspaces.find(({ missing_step }) => missing_step === null) ??
      this.accessibleWorkspaces[0],
  )
  /** A provider of the workspace signed the account in: the session cannot change the account. */
  readonly isBound = $derived((this.state?.session_workspace_id ?? null) !== null)
  readonly isAdmin = $derived(this.workspace?.access_level === 'admin')
  /** The service lets an account create a workspace when it is an admin of one. */
  readonly mayCreateWorkspaces = $derived(
    this.workspaces.some(({ access_level, missing_step }) => access_level === 'admin' && missing_step === null),
  )

  constructor() {
    this.#workspaceId = sessionStorage.getItem(STORAGE_KEY) ?? localStorage.getItem(STORAGE_KEY) ?? undefined
    credentials.workspaceId = () => this.workspace?.id ?? null
    credentials.onSignedOut = () => (this.isRevoked = true)
    credentials.onStepMissing = () => {
      if (this.workspace?.missing_step === null) void this.load()
    }
    credentials.onWorkspaceMissing = (id, movedTo) => {
      if (this.workspace?.id !== id) return
      this.isWorkspaceMissing = true
      this.movedTo = movedTo
    }
  }

  /** Whether the signed-in member may do what the permission names. The service decides; this only hides what it would refuse. */
  may(permission: Permission): boolean {
    return this.isAdmin || this.workspace?.member_permissions.includes(permission) === true
  }

  /** The same for a page that only admins use, or that every member uses. */
  mayUse(needs: 'admin' | Permission | undefined): boolean {
    if (needs === undefined) return true
    return needs === 'admin' ? this.isAdmin : this.may(needs)
  }

  async load(): Promise<void> {
    try {
      const before = this.workspace?.id
      this.state = await readSession()
      changeEvents.startAfter(this.state.events_cursor)
      this.#followRename(before)
      this.error = undefined
      this.isRevoked = false
      this.isWorkspaceMissing = false
      this.#setCredentials()
      if (this.account?.language) showIn(this.account.language)
    } catch (error) {
      this.error = toApiError(error)
    }
  }

  /** Loads the session after a sign-in, and tells other tabs. */
  async loadSignedIn(): Promise<void> {
    await this.load()
    localStorage.setItem(SIGNED_IN_KEY, String(Date.now()))
  }

  /** Resumes after a sign-in in another tab. For use in an effect. */
  followSignIns(): () => void {
    const onstorage = ({ key }: StorageEvent) => {
      if (key === SIGNED_IN_KEY) void this.#resume()
    }
    const onfocus = () => void this.#resume()
    window.addEventListener('storage', onstorage)
    window.addEventListener('focus', onfocus)
    return () => {
      window.removeEventListener('storage', onstorage)
      window.removeEventListener('focus', onfocus)
    }
  }

  /** Without a sign-in, the page stays as it is, with what is being edited. */
  async #resume(): Promise<void> {
    const state = await readSession().catch(() => undefined)
    if (!state?.account) return
    this.state = state
    this.isRevoked = false
    this.#setCredentials()
  }

  /** Opens a page of a workspace. */
  choose(workspaceId: string, path = '/home', options: { readonly replace?: boolean } = {}): void {
    const workspace = this.workspaces.find(({ id }) => id === workspaceId)
    goTo(inWorkspace(path, workspace ? nameInPaths(workspace) : workspaceId), options)
  }

  /** Opens the first workspace, after the shown one was deleted or the access to it ended. */
  async openFirst(): Promise<void> {
    await this.load()
    if (this.firstWorkspace) this.choose(this.firstWorkspace.id)
  }

  /** Names the shown workspace in the URL, and opens it for the next address without one. For use in an effect. */
  followWorkspace(): void {
    if (!this.workspace) return
    location.nameWorkspace(nameInPaths(this.workspace))
    this.#workspaceId = this.workspace.id
    sessionStorage.setItem(STORAGE_KEY, this.workspace.id)
    localStorage.setItem(STORAGE_KEY, this.workspace.id)
  }

  /** A workspace whose slug changed keeps its page. */
  #followRename(workspaceId: string | undefined): void {
    const renamed = this.accessibleWorkspaces.find(({ id }) => id === workspaceId)
    if (renamed && location.workspace !== undefined) location.nameWorkspace(nameInPaths(renamed))
  }

  /** Signs out and goes to `next`. `end` ends the session, and returns the URL of the sign-out at its provider. */
  async leave(next = '/sign-in', end = signOut): Promise<void> {
    const providerUrl = await end()
    if (providerUrl !== null) return window.location.assign(providerUrl)
    await this.load()
    goTo(next)
  }

  /** The sign-in page, which leads back to the current page. */
  get signInUrl(): string {
    return `/sign-in?${new URLSearchParams({ next: location.url })}`
  }

  #setCredentials(): void {
    credentials.csrfToken = this.state?.csrf_token ?? null
  }
}

export const session = new Session()
