import type { RequestContext } from '#context'

/** The member whose personal views the request may use; null for apps, keys and assistants. */
export const viewOwner = ({ memberId, clientId }: Pick<RequestContext, 'memberId' | 'clientId'>): string | null =>
  clientId === undefined ? (memberId ?? null) : null
