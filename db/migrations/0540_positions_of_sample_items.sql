-- Of two requests that fill a workspace with sample data at the same time, one inserts the first item.

-- Such requests may have given a position twice before.
with numbered as (
  select workspace_id, kind, id, (row_number() over (partition by workspace_id order by position, id) - 1)::int as position
  from relata.sample_items
)
update relata.sample_items as item set position = numbered.position
from numbered
where (item.workspace_id, item.kind, item.id) = (numbered.workspace_id, numbered.kind, numbered.id)
  and item.position <> numbered.position;

create unique index sample_items_positions on relata.sample_items (workspace_id, position);
