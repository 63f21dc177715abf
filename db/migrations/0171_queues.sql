-- Every queue has the same columns. `due_at` is when a process may take the row, and while a process has it, the end of its lease;
-- null when nothing is to do. `leased_by` names the lease, `worker` the process that has it, and `attempts` counts how often the row
-- was taken since its lease was ended in order. See docs/decisions/queues.md.

alter table relata.jobs alter column due_at drop not null;
update relata.jobs set due_at = case when ended_at is null then greatest(due_at, leased_until) end;
drop index relata.jobs_due;
alter table relata.jobs drop column leased_until, add column attempts int not null default 0;
create index jobs_due on relata.jobs (due_at) where due_at is not null;

alter table relata.imports add column due_at timestamptz;
update relata.imports set due_at = coalesce(leased_until, created_at) where state in ('waiting', 'running');
drop index relata.imports_due;
alter table relata.imports drop column leased_until, add column attempts int not null default 0;
create index imports_due on relata.imports (due_at) where due_at is not null;

alter table relata.contact_jobs add column leased_by uuid;
alter table relata.inboxes add column leased_by uuid;
alter table relata.webhook_alerts add column leased_by uuid;
alter table relata.interaction_refreshes add column leased_by uuid, add column attempts int not null default 0;
