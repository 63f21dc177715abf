import { isUuid } from '#engine/attribute-types/formats/uuids'
import type { ApiContext } from '#context'
import { retryOnConflict } from '#engine/entities/write/retry-on-conflict'
import { adminRequired } from '#base/errors/access'
import { emailNotFound } from '#base/errors/meetings'
import { invalidRequest } from '#base/errors/http'
import { requestRefreshesFor } from '#crm/interactions/refresh-queue'
import { deleteEmail as deleteEmailRows } from '#crm/mailboxes/delete-emails'

/** Deletes what is stored of an email, for good. Throws 403 unless the caller is an admin or acts for one, and 404. */
export const deleteEmail = (context: ApiContext, emailId: string): Promise<object> =>
  retryOnConflict(context, async ({ model, memberId, db, now }) => {
    if (model.membersById.get(memberId ?? '')?.access_level !== 'admin') throw adminRequired()
    if (!isUuid(emailId)) throw invalidRequest(`Email ID "${emailId}" is not a UUID.`)
    await db.sql.begin(async (tx) => {
      const addresses = await deleteEmailRows(tx, model.workspace.id, emailId.toLowerCase())
      if (addresses === undefined) throw emailNotFound(emailId)
      await requestRefreshesFor(tx, model, addresses, now())
    })
    return {}
  })
