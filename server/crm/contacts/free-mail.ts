/** The domains of free mail providers, where an address says nothing about a company. Decision 0091. */

import list from './free-mail-domains.txt' with { type: 'text' }

const DOMAINS: ReadonlySet<string> = new Set(list.split('\n').filter((line) => line !== '' && !line.startsWith('#')))

export const isFreeMail = (domain: string): boolean => DOMAINS.has(domain)
