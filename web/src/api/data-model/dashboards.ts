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
import { api } from '../client'

export type Dashboard = DashboardOutput
export type Chart = ChartOutput
export type { ChartInput, DashboardItem }

export const idOfDashboard = ({ id }: DashboardItem): string => id.dashboard_id

const pathOf = (id: string): string => `/dashboards/${encodeURIComponent(id)}`

/** In the order of their creation, without charts. */
export const listDashboards = async (signal?: AbortSignal): Promise<DashboardItem[]> =>
  (await api.get<DashboardsAnswer>('/dashboards', { signal })).data

export const getDashboard = async (id: string, signal?: AbortSignal): Promise<Dashboard> =>
  (await api.get<DashboardAnswer>(pathOf(id), { signal })).data

export const createDashboard = async (data: DashboardInput): Promise<Dashboard> =>
  (await api.post<DashboardAnswer>('/dashboards', { body: { data } })).data

export const updateDashboard = async (id: string, data: DashboardChange): Promise<Dashboard> =>
  (await api.patch<DashboardAnswer>(pathOf(id), { body: { data } })).data

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
