/** The requests of dismissed duplicates. */
import { type Static, Type } from 'typebox'
import { listOf } from '#api/console/schemas'

const Uuid = Type.String({ format: 'uuid' })
/** Slug or id. */
const ObjectName = Type.String({ maxLength: 200 })

export const DismissalsQuery = Type.Object({ object: ObjectName, record_id: Uuid })
export type DismissalsQuery = Static<typeof DismissalsQuery>

/** A pair of records in either order. */
export const Dismissal = Type.Object({ object: ObjectName, record_id: Uuid, other_record_id: Uuid })
export type Dismissal = Static<typeof Dismissal>

/** The ids of records. */
export const DismissalsAnswer = listOf(Type.String())
