/** What a new list can start from. */

import type { Stage } from '../../../api/data-model/list-templates'

export interface Template {
  readonly id: string
  readonly label: string
  readonly hint: string
  /** The proposed name of the list. */
  readonly name: string
  /** The slug of the object whose records such a list has. */
  readonly object?: string
  /** The status attribute that the template creates. */
  readonly attribute?: { readonly title: string; readonly slug: string; readonly stages: readonly Stage[] }
}

export const EMPTY: Template = { id: 'empty', label: 'Empty', hint: 'Add attributes later.', name: '' }

const stagesHint = (stages: readonly Stage[]): string => `Stages: ${stages.map(({ title }) => title).join(', ')}`

const SALES: readonly Stage[] = [
  { title: 'Lead', color: 'gray' },
  { title: 'Qualified', color: 'blue' },
  { title: 'Proposal', color: 'indigo' },
  { title: 'Negotiation', color: 'orange' },
  { title: 'Won', color: 'green', celebration_enabled: true },
  { title: 'Lost', color: 'pink' },
]

const HIRING: readonly Stage[] = [
  { title: 'Applied', color: 'gray' },
  { title: 'Screening', color: 'blue' },
  { title: 'Interview', color: 'indigo' },
  { title: 'Offer', color: 'orange' },
  { title: 'Hired', color: 'green', celebration_enabled: true },
  { title: 'Rejected', color: 'pink' },
]

export const TEMPLATES: readonly Template[] = [
  EMPTY,
  {
    id: 'sales',
    label: 'Sales pipeline',
    hint: stagesHint(SALES),
    name: 'Sales pipeline',
    object: 'companies',
    attribute: { title: 'Stage', slug: 'stage', stages: SALES },
  },
  {
    id: 'hiring',
    label: 'Hiring',
    hint: stagesHint(HIRING),
    name: 'Hiring',
    object: 'people',
    attribute: { title: 'Stage', slug: 'stage', stages: HIRING },
  },
]
