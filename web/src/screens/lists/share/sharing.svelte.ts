/** The access to a list, as its dialog changes it. Each change is saved at once. */

import { listTeams, type ListTeam, readListTeams, type Team } from '../../../api/access/teams'
import { updateList } from '../../../api/data-model/lists'
import { getDataModel, type List } from '../../../state/data-model.svelte'
import { RemoteData } from '../../../state/reads/remote-data.svelte'
import { session } from '../../../state/session.svelte'
import { toasts } from '../../../state/toasts.svelte'
import type { Level } from './levels'

type MemberAccess = List['workspace_member_access'][number]

export class Sharing {
  readonly #slug: string
  readonly #model = getDataModel()
  readonly #teams: RemoteData<readonly { readonly team: Team; readonly level: ListTeam['level'] }[]>

  constructor(slug: string) {
    this.#slug = slug
    this.#teams = new RemoteData(async (signal) => {
      const [teams, levels] = await Promise.all([listTeams(signal), readListTeams(slug, signal)])
      return levels.flatMap(({ team_id, level }) => {
        const team = teams.find(({ id }) => id === team_id)
        return team ? [{ team, level }] : []
      })
    })
  }

  get list(): List | undefined {
    return this.#model.data?.lists.find(({ api_slug }) => api_slug === this.#slug)
  }

  get members(): readonly MemberAccess[] {
    return this.list?.workspace_member_access ?? []
  }

  /** Whether the member may change the access. The service decides; the dialog only hides what it would refuse. */
  get isOwner(): boolean {
    const levels = [
      this.list?.workspace_access,
      ...this.members.filter(({ workspace_member_id: id }) => id === this.#ownId).map(({ level }) => level),
      ...(this.#teams.data ?? []).filter(({ team }) => team.member_ids.includes(this.#ownId)).map(({ level }) => level),
    ]
    return session.isAdmin || levels.includes('full-access')
  }

  get #ownId(): string {
    return session.workspace?.workspace_member_id ?? ''
  }

  setWorkspaceAccess = (level: Level | 'private'): Promise<void> =>
    this.#save({ workspace_access: level === 'private' ? null : level })

  setMember(id: string, level: Level | 'none'): Promise<void> {
    const isNew = !this.members.some(({ workspace_member_id }) => workspace_member_id === id)
    const others = this.members.filter(({ workspace_member_id }) => workspace_member_id !== id)
    const own = { workspace_member_id: id, level: level === 'none' ? ('read-only' as const) : level }
    if (level === 'none') return this.#save({ workspace_member_access: others })
    if (isNew) return this.#save({ workspace_member_access: [...others, own] })
    const members = this.members.map((one) => (one.workspace_member_id === id ? own : one))
    return this.#save({ workspace_member_access: members })
  }

  /** A list that not all members may change keeps one member with full access: the member who saves it. */
  async #save(change: Partial<Pick<List, 'workspace_access' | 'workspace_member_access'>>): Promise<void> {
    const { list } = this
    if (!list) return
    const { workspace_access, workspace_member_access: members } = { ...list, ...change }
    const hasOwner = workspace_access === 'full-access' || members.some(({ level }) => level === 'full-access')
    const others = members.filter(({ workspace_member_id }) => workspace_member_id !== this.#ownId)
    const own = { workspace_member_id: this.#ownId, level: 'full-access' as const }
    const workspace_member_access = hasOwner ? members : [...others, own]
    try {
      await updateList(this.#slug, { workspace_access, workspace_member_access: [...workspace_member_access] })
      toasts.show('Access updated')
    } catch (error) {
      toasts.fail(error)
    }
    await this.#model.load()
  }
}
