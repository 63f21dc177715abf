/**
 * From a company's website to its domain. A page on a social network, or on another site where many people have pages, is
 * not the company's domain. The front page of such a site is the domain of the company that runs it.
 */

import { parseHostName } from '#engine/attribute-types/formats/host-names'

export type Website =
  | { readonly domain: string }
  /** A page on a social network, whose pages go to the attribute of this slug. */
  | { readonly profile: { readonly slug: string; readonly url: string } }
  | { readonly problem: string }

/** The attribute for pages on a social network, by the root domain of the network. */
const PROFILES: Readonly<Record<string, string>> = {
  'twitter.com': 'twitter',
  'x.com': 'twitter',
  'facebook.com': 'facebook',
  'fb.com': 'facebook',
  'linkedin.com': 'linkedin',
  'instagram.com': 'instagram',
  'angel.co': 'angellist',
  'angellist.com': 'angellist',
  'wellfound.com': 'angellist',
}

/** Sites where many people have pages, and that have no attribute. */
const SHARED_SITES = new Set([
  'about.me',
  'apple.com',
  'bit.ly',
  'crunchbase.com',
  'github.com',
  'google.com',
  'kickstarter.com',
  'medium.com',
  'pinterest.com',
  'producthunt.com',
  'tiktok.com',
  'vimeo.com',
  'wikipedia.org',
  'yelp.com',
  'youtube.com',
])

const MAX_LENGTH = 16 * 1024

const ADDRESS = /^(?:[a-z][a-z0-9+.-]*:)?(?:\/\/)?(?:[^/?#@]*@)?([^/?#@:\s]+?)\.?(?::\d*)?([/?#].*)?$/i

export function readWebsite(text: string): Website {
  if (text.length > MAX_LENGTH) return { problem: `A website has at most ${MAX_LENGTH} characters` }
  const url = text.trim()
  const [, written = '', rest = ''] = ADDRESS.exec(url) ?? []
  // `www.` is a host and not a part of the name, unless nothing else remains, as in www.com.
  const name = parseHostName(written.replace(/^www\./i, '')) ?? parseHostName(written)
  if (!name) return { problem: `"${url}" is not a website` }
  if (/[^/?#]/.test(rest)) {
    const slug = PROFILES[name.root]
    if (slug !== undefined) return { profile: { slug, url } }
    if (SHARED_SITES.has(name.root)) return { problem: `"${url}" is a page on ${name.root}, not a domain of its own` }
  }
  return { domain: name.host }
}
