/** The access to a list, as its dialog changes it. Each change is saved at once, behind those before it. */

import { listTeams, type ListTeam, readListTeams, type Team } from '../../../api/access/teams'
import { getList, updateList } from '../../../api/data-model/lists'
import { getDataModel, type List } from '../../../state/data-model.svelte'
import { RemoteData } from '../../../state/reads/remote-data.svelte'
import { session } from '../../../state/session.svelte'
import { toasts } from '../../../state/toasts.svelte'
import { withMember, withOwner, withWorkspaceAccess } from './access-changes'
import { type Access, AccessQueue } from './access-queue'
import type { Level } from './levels'

type MemberAccess = List['workspace_member_access'][number]

export class Sharing {
  readonly #slug: string
  readonly #model = getDataModel()
  readonly #queue: AccessQueue<List>
  readonly #teams: RemoteData<readonly { readonly team: Team; readonly level: ListTeam['level'] }[]>

  constructor(slug: string) {
    this.#slug = slug
    this.#queue = new AccessQueue({ read: () => getList(slug), write: (access) => updateList(slug, access) })
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

  setWorkspaceAccess = (level: Level | 'private'): Promise<void> => this.#save(withWorkspaceAccess(level))

  setMember = (id: string, level: Level | 'none'): Promise<void> => this.#save(withMember(id, level))

  async #save(change: (access: Access) => Access): Promise<void> {
    try {
      this.#show(await this.#queue.save((access) => withOwner(change(access), this.#ownId)))
      toasts.show('Access updated')
    } catch (error) {
      toasts.fail(error)
    }
    await this.#model.load()
  }

  /** Shows the answer before the data model is read again. */
  #show(list: List): void {
    const { data } = this.#model
    if (data) this.#model.data = { ...data, lists: data.lists.map((one) => (isSameList(one, list) ? list : one)) }
  }
}

const isSameList = (one: List, other: List): boolean => one.id.list_id === other.id.list_id
