/** Interaction attributes of the records of a service, for tests. */

import { readFeeds } from '#crm/feed-worker'
import { refreshInteractions } from '#crm/interactions/refresh-records'
import type { AnswerBody } from './client'
import type { TestService } from './service'

export const interactionsOf = (service: TestService) => ({
  async create(object: string, values: Record<string, unknown>): Promise<string> {
    const { body } = await service.request('POST', `/v2/objects/${object}/records`, { data: { values } })
    return body.data.id.record_id
  },

  /** The first value of each interaction attribute that has one. */
  async valuesOf(object: string, id: string): Promise<Record<string, AnswerBody>> {
    const { body } = await service.request('GET', `/v2/objects/${object}/records/${id}`)
    const slugs = Object.entries<unknown[]>(body.data.values).filter(([slug]) => /interaction|^strongest/.test(slug))
    return Object.fromEntries(slugs.map(([slug, values]) => [slug, values[0]]))
  },

  /** What the workers do. */
  async work(): Promise<void> {
    await service.events()
    await readFeeds(service.appContext)
    await refreshInteractions(service.appContext)
  },

  /** An interaction of the member of the workspace. */
  interaction: (interaction_type: string, at: string) => ({
    interaction_type,
    interacted_at: `${at}.000000000Z`,
    owner_actor: { type: 'workspace-member', id: service.member.id },
  }),
})
