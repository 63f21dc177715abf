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
