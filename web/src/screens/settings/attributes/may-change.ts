/** Who shapes the data: of objects, admins; of a list, whoever was given full access to it, which the service decides. */

import type { EntityTypePath } from '../../../api/data-model/attributes'
import { session } from '../../../state/session.svelte'

export const mayChange = (entityType: EntityTypePath): boolean => entityType.kind === 'lists' || session.isAdmin
