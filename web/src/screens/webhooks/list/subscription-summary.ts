import type { Webhook } from '../../../api/webhooks/webhooks'

/** "record.created, record.updated and 3 more, filtered, with values". */
export function subscriptionSummary({ subscriptions }: Pick<Webhook, 'subscriptions'>): string {
  const kinds = [...new Set(subscriptions.map(({ event_type }) => event_type))]
  const [named, others] = [kinds.slice(0, 2), kinds.length - 2]
  const list = others > 0 ? `${named.join(', ')} and ${others} more` : named.join(' and ')
  const isSome = subscriptions.some(({ filter }) => filter !== null)
  const hasValues = subscriptions.some(({ include }) => include?.includes('values'))
  return [list, ...(isSome ? ['filtered'] : []), ...(hasValues ? ['with values'] : [])].join(', ')
}
