/** A table of a list of visits at mills, whose records refer to people, companies and calls in circles. */

import type { Attribute } from '../../../../api/data-model/attributes'
import type { Activity } from '../../../../api/data-model/activities'
import type { WorkspaceObject } from '../../../../state/data-model.svelte'
import type { FilteredTable } from '../paths'

const attribute = (
  object: string,
  api_slug: string,
  type: string,
  allowed: readonly string[] | null = null,
): Attribute =>
  ({
    id: { object_id: `id of ${object}`, attribute_id: `id of ${object}.${api_slug}` },
    api_slug,
    title: `Title of ${api_slug}`,
    type,
    config: { record_reference: { allowed_object_ids: allowed?.map((slug) => `id of ${slug}`) ?? null } },
  }) as unknown as Attribute // the builder reads no other members

const object = (slug: string, noun: string): WorkspaceObject =>
  ({ id: { object_id: `id of ${slug}` }, api_slug: slug, singular_noun: noun }) as unknown as WorkspaceObject // the builder reads no other members

const OBJECTS = [object('mills', 'Mill'), object('people', 'Person'), object('companies', 'Company')]

const CALLS = {
  id: { activity_id: 'id of calls' },
  api_slug: 'calls',
  singular_noun: 'Call',
  extends: [],
} as unknown as Activity // the builder reads no other members

const ATTRIBUTES: Readonly<Record<string, readonly Attribute[]>> = {
  visits: [attribute('visits', 'note', 'text'), attribute('visits', 'parent_record', 'record-reference', ['mills'])],
  mills: [attribute('mills', 'looms', 'number'), attribute('mills', 'owner', 'record-reference')],
  people: [attribute('people', 'job', 'text'), attribute('people', 'company', 'record-reference', ['companies'])],
  calls: [attribute('calls', 'outcome', 'select')],
  companies: [
    attribute('companies', 'stage', 'status'),
    attribute('companies', 'team', 'record-reference', ['people']),
    attribute('companies', 'calls', 'record-reference', ['calls']),
  ],
}

const filtered = (slug: string, kind: 'objects' | 'lists'): FilteredTable => ({
  entityType: { kind, slug },
  attributes: ATTRIBUTES[slug] ?? [],
  columnCount: 1,
  referencedColumns:
    kind === 'objects'
      ? []
      : [
          [
            ['visits', 'parent_record'],
            ['mills', 'looms'],
          ],
        ],
  types: [...OBJECTS, CALLS],
  parents: kind === 'objects' ? [] : OBJECTS.slice(0, 1),
  attributesOf: (name) => ATTRIBUTES[name],
})

export const visits: FilteredTable = filtered('visits', 'lists')
export const mills: FilteredTable = filtered('mills', 'objects')
