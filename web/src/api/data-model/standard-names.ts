/**
 * The names of standard objects, of system activities and of their attributes, in the language of the page. A name that
 * somebody changed is shown as it is stored. See docs/decisions/languages.md.
 */

import { LABEL_SLUGS } from '#vocabulary/data-model'

/** By the name that the service gives. */
const STANDARD_NAMES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    'Associated company': 'Associated company',
    'Associated deals': 'Associated deals',
    'Associated people': 'Associated people',
    'Associated users': 'Associated users',
    'Associated workspaces': 'Associated workspaces',
    'Avatar URL': 'Avatar URL',
    Categories: 'Categories',
    Companies: 'Companies',
    Company: 'Company',
    'Connection strength': 'Connection strength',
    'Connection strength (legacy)': 'Connection strength (legacy)',
    'Created at': 'Created at',
    'Created by': 'Created by',
    'Deal name': 'Deal name',
    'Deal owner': 'Deal owner',
    'Deal stage': 'Deal stage',
    'Deal value': 'Deal value',
    Description: 'Description',
    Direction: 'Direction',
    'Duration in seconds': 'Duration in seconds',
    'Email addresses': 'Email addresses',
    'Employee range': 'Employee range',
    'Entry ID': 'Entry ID',
    'Estimated ARR': 'Estimated ARR',
    'First calendar interaction': 'First calendar interaction',
    'First email interaction': 'First email interaction',
    'First interaction': 'First interaction',
    'Foundation date': 'Foundation date',
    'Funding raised': 'Funding raised',
    'Interaction type': 'Interaction type',
    'Job title': 'Job title',
    'Last calendar interaction': 'Last calendar interaction',
    'Last email interaction': 'Last email interaction',
    'Last interaction': 'Last interaction',
    'Logo URL': 'Logo URL',
    'Next calendar interaction': 'Next calendar interaction',
    'Next interaction': 'Next interaction',
    Note: 'Note',
    Outcome: 'Outcome',
    Owner: 'Owner',
    'Parent record': 'Parent record',
    People: 'People',
    Person: 'Person',
    'Phone call': 'Phone call',
    'Phone calls': 'Phone calls',
    'Phone numbers': 'Phone numbers',
    'Primary email address': 'Primary email address',
    'Primary location': 'Primary location',
    'Record ID': 'Record ID',
    'Strongest connection': 'Strongest connection',
    Subject: 'Subject',
    Timestamp: 'Timestamp',
    'Twitter follower count': 'Twitter follower count',
    User: 'User',
    Users: 'Users',
  }),
)

/** The name in the language of the page. */
export const shownName = (name: string): string => STANDARD_NAMES.get(name) ?? name

/** The standard names that are shown as this one, in lower case. People search by these words as well. */
export const standardWords = (shown: string): string =>
  [...STANDARD_NAMES].flatMap(([name, text]) => (text === shown ? name.toLowerCase() : [])).join(' ')

export const isStandardObject = (slug: string | null): boolean => slug !== null && Object.hasOwn(LABEL_SLUGS, slug)

interface Nouns {
  readonly singular_noun: string | null
  readonly plural_noun: string | null
}

/** An object or activity that the service defines, with its names as shown. */
export const withShownNouns = <T extends Nouns>(type: T): T => ({
  ...type,
  singular_noun: type.singular_noun && shownName(type.singular_noun),
  plural_noun: type.plural_noun && shownName(type.plural_noun),
})
