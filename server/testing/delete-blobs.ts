/** A process that deletes all blobs without references, also those that lost their last one just now. */

import { connect } from '#db/connect'
import { deleteUnreferenced } from '#crm/blobs/blob-store'
import { readConfig } from '#run/config/config'
import { openBlobStore } from '#run/startup/open-database'

const config = readConfig(process.env)
const db = connect(config.databaseUrl ?? '')
await deleteUnreferenced({ db, blobs: openBlobStore(config, db, crypto.randomUUID()) }, 0)
await db.close()
