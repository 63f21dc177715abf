/** Who shapes the data: of objects, admins; of a list, whoever was given full access to it, which the service decides. */

import type { OwnerPath } from '../../../api/attributes'
import { session } from '../../../state/session.svelte'

export const mayChange = (owner: OwnerPath): boolean => owner.kind === 'lists' || session.isAdmin
