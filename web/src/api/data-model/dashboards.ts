/** Dashboards and the definitions of their charts. */

import type {
  ChartInput,
  ChartOutput,
  DashboardAnswer,
  DashboardChange,
  DashboardInput,
  DashboardItem,
  DashboardOutput,
  DashboardsAnswer,
} from '#api/resources/dashboards/schemas'
import type {
  ScheduleAnswer,
  ScheduleChange,
  ScheduleInput,
  ScheduleOutput,
  SchedulesAnswer,
} from '#api/resources/dashboards/schedule-schemas'
import { api, type Versioned } from '../client'

/** A dashboard and its version. */
export type Dashboard = DashboardOutput & { readonly version: string }
export type Chart = ChartOutput
export type { ChartInput, DashboardItem }

export const idOfDashboard = ({ id }: DashboardItem): string => id.dashboard_id

const pathOf = (id: string): string => `/dashboards/${encodeURIComponent(id)}`

/** In the order of their creation, without charts. */
export const listDashboards = async (signal?: AbortSignal): Promise<DashboardItem[]> =>
  (await api.get<DashboardsAnswer>('/dashboards', { signal })).data

export const getDashboard = async (id: string, signal?: AbortSignal): Promise<Dashboard> =>
  versioned(await api.getVersion<DashboardAnswer>(pathOf(id), { signal }))

export const createDashboard = async (data: DashboardInput): Promise<Dashboard> =>
  versioned(await api.postVersion<DashboardAnswer>('/dashboards', { body: { data } }))

/** Throws 412 for another version than the named one. */
export const updateDashboard = async (id: string, data: DashboardChange, ifMatch?: string): Promise<Dashboard> =>
  versioned(
    await api.patchVersion<DashboardAnswer>(pathOf(id), { body: { data }, ...(ifMatch !== undefined && { ifMatch }) }),
  )

const versioned = ({ body, version }: Versioned<DashboardAnswer>): Dashboard => ({ ...body.data, version })

export const deleteDashboard = (id: string): Promise<unknown> => api.delete(pathOf(id))

// The schedules of emails.

export type Schedule = ScheduleOutput
export type { ScheduleInput, SchedulesAnswer }

export const idOfSchedule = ({ id }: Schedule): string => id.schedule_id

const schedulePath = (dashboardId: string, id = ''): string =>
  `${pathOf(dashboardId)}/schedules${id && `/${encodeURIComponent(id)}`}`

export const listSchedules = (dashboardId: string, signal?: AbortSignal): Promise<SchedulesAnswer> =>
  api.get<SchedulesAnswer>(schedulePath(dashboardId), { signal })

export const createSchedule = async (dashboardId: string, data: ScheduleInput): Promise<Schedule> =>
  (await api.post<ScheduleAnswer>(schedulePath(dashboardId), { body: { data } })).data

export const updateSchedule = async (dashboardId: string, id: string, data: ScheduleChange): Promise<Schedule> =>
  (await api.patch<ScheduleAnswer>(schedulePath(dashboardId, id), { body: { data } })).data

export const deleteSchedule = (dashboardId: string, id: string): Promise<unknown> =>
  api.delete(schedulePath(dashboardId, id))
