/** What can be changed about the attributes of an object, an activity or a list. */

import type { EntityTypePath } from '../../../api/data-model/attributes'
import { isReadOnly } from '../../../state/object-access'
import { session } from '../../../state/session.svelte'

/** Objects and activities need a permission, objects also write access. Members with full access change a list, which the service checks. */
export const mayChange = (entityType: EntityTypePath): boolean =>
  entityType.kind === 'lists' || (session.may('data_model') && !isReadOnly(entityType))

const RESTRICTED: ReadonlySet<string> = new Set(['people', 'companies'])

/** Whether the service allows neither status attributes nor default values. */
export const isRestricted = ({ kind, slug }: EntityTypePath): boolean => kind === 'objects' && RESTRICTED.has(slug)
