/** Renders a page as the body of a response. */

import type { Page } from './query-entities'

/** Returns the JSON text as consecutive pieces. */
export function pageBody({ texts, pagination }: Pick<Page, 'texts' | 'pagination'>): string[] {
  const end = pagination === undefined ? ']}' : `],"pagination":${JSON.stringify(pagination)}}`
  return ['{"data":[', ...texts.flatMap((text, index) => (index === 0 ? text : [',', text])), end]
}
