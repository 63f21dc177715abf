/** Wire shapes of the schedules of emails of a dashboard. See docs/reference/dashboards.md (Emails). */

import { type Static, Type } from 'typebox'
import { FREQUENCIES } from '#api/dashboard-emails/schedule-times'

const STRICT = { additionalProperties: false }
const Uuid = Type.String({ format: 'uuid' })

const Weekday = Type.Integer({ minimum: 1, maximum: 7, description: 'Of weekly emails, required; 1 is Monday.' })
const Day = Type.Integer({
  minimum: 1,
  maximum: 31,
  description: 'Of monthly emails, required; the last day of a shorter month.',
})

const Members = {
  frequency: Type.Enum([...FREQUENCIES]),
  weekday: Type.Optional(Weekday),
  day: Type.Optional(Day),
  hour: Type.Integer({ minimum: 0, maximum: 23 }),
  time_zone: Type.String({ maxLength: 100, description: 'The name of a time zone, such as "Europe/Berlin".' }),
  period: Type.Optional(
    Type.Union([Type.String({ maxLength: 100 }), Type.Null()], {
      description: 'A relative period, such as `last_7_days`, to which all charts are limited.',
    }),
  ),
  owner: Type.Optional(
    Type.Union([Type.String({ maxLength: 100 }), Type.Null()], {
      description: '`me` and `my_teams` are those of the recipient; else the id of a member.',
    }),
  ),
  is_paused: Type.Optional(Type.Boolean()),
}

const ScheduleInput = Type.Object(
  {
    workspace_member_id: Type.String({ format: 'uuid', description: 'The recipient.' }),
    ...Members,
  },
  STRICT,
)
export type ScheduleInput = Static<typeof ScheduleInput>
export const CreateScheduleBody = Type.Object({ data: ScheduleInput }, STRICT)

const ScheduleChange = Type.Partial(Type.Object(Members, STRICT))
export type ScheduleChange = Static<typeof ScheduleChange>
export const UpdateScheduleBody = Type.Object({ data: ScheduleChange }, STRICT)

const Time = Type.String({ format: 'date-time' })

const ScheduleOutput = Type.Object({
  id: Type.Object({ workspace_id: Uuid, dashboard_id: Uuid, schedule_id: Uuid }),
  workspace_member_id: Uuid,
  frequency: Type.Enum([...FREQUENCIES]),
  weekday: Type.Union([Weekday, Type.Null()]),
  day: Type.Union([Day, Type.Null()]),
  hour: Type.Integer(),
  time_zone: Type.String(),
  period: Type.Union([Type.String(), Type.Null()]),
  owner: Type.Union([Type.String(), Type.Null()]),
  is_paused: Type.Boolean(),
  next_at: Type.Union([Time, Type.Null()], { description: 'Null while the schedule is paused.' }),
  last_sent_at: Type.Union([Time, Type.Null()]),
  created_at: Time,
})
export type ScheduleOutput = Static<typeof ScheduleOutput>

export const ScheduleAnswer = Type.Object({ data: ScheduleOutput })
export const SchedulesAnswer = Type.Object({
  data: Type.Array(ScheduleOutput),
  is_delivered: Type.Boolean({ description: 'Whether the service has a mail server. Without one, no email is sent.' }),
})
export type ScheduleAnswer = Static<typeof ScheduleAnswer>
export type SchedulesAnswer = Static<typeof SchedulesAnswer>
