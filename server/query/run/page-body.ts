/** From what a query found to the body of its answer. */

import type { Page } from './query-entities'

/** JSON text in pieces, which follow one another. */
export function pageBody({ texts, pagination }: Pick<Page, 'texts' | 'pagination'>): string[] {
  const end = pagination === undefined ? ']}' : `],"pagination":${JSON.stringify(pagination)}}`
  return ['{"data":[', ...texts.flatMap((text, index) => (index === 0 ? text : [',', text])), end]
}
