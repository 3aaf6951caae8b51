-- Roles for a store that a team shares. The owner of the schema runs this once, after the program made the tables:
--
--   harness records list --store postgresql://OWNER@HOST/DATABASE
--   psql -v ON_ERROR_STOP=1 -f roles.sql postgresql://OWNER@HOST/DATABASE
--   psql -c 'GRANT harness_insert TO ci' postgresql://OWNER@HOST/DATABASE
--
-- harness_read     reads everything (Grafana)
-- harness_insert   also adds records and their results, until a record is complete; plans campaigns, and measures and judges
--                  those that the same role planned, or a role that it is a member of; keeps no verdicts (CI of branches)
-- harness_promote  also keeps verdicts and names, removes records, and measures any campaign (CI of the default branch,
--                  maintainers)
\set ON_ERROR_STOP on
BEGIN;
SET LOCAL search_path = harness;

SELECT format('CREATE ROLE %I NOLOGIN', name)
FROM unnest(ARRAY['harness_read', 'harness_insert', 'harness_promote']) AS name
WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = name) \gexec
GRANT harness_read TO harness_insert;
GRANT harness_insert TO harness_promote;

GRANT USAGE ON SCHEMA harness TO harness_read;
GRANT SELECT ON ALL TABLES IN SCHEMA harness TO harness_read;
ALTER DEFAULT PRIVILEGES IN SCHEMA harness GRANT SELECT ON TABLES TO harness_read;

GRANT INSERT ON runs, cases, results, process_values, campaigns, campaign_records, campaign_cases, tasks, elements, probes
  TO harness_insert;
GRANT UPDATE (suite, suite_hash, revision, branch, dirty, changes, partial, calibration, machine_class, device_uuid,
              started, finished, state, header) ON runs TO harness_insert;
GRANT UPDATE (measured, failures, digest) ON cases TO harness_insert;
GRANT UPDATE (cancelled) ON campaigns TO harness_insert;
GRANT UPDATE ON results, tasks, elements, probes TO harness_insert;
GRANT DELETE ON results, process_values, probes TO harness_insert;

GRANT UPDATE, DELETE ON runs, cases, results, process_values, campaigns, campaign_records, campaign_cases, tasks, elements
  TO harness_promote;
GRANT INSERT, UPDATE, DELETE ON record_names TO harness_promote;

-- Who may only insert changes no complete record and no campaign of another role, and brings no verdict along.
CREATE OR REPLACE FUNCTION is_member(wanted TEXT) RETURNS BOOLEAN LANGUAGE sql STABLE
  AS $$ SELECT EXISTS (SELECT FROM pg_roles WHERE rolname = wanted AND pg_has_role(oid, 'MEMBER')) $$;
CREATE OR REPLACE FUNCTION own_campaigns() RETURNS SETOF TEXT LANGUAGE sql STABLE
  AS $$ SELECT id FROM harness.campaigns WHERE harness.is_member(role) $$;
CREATE OR REPLACE FUNCTION is_of_others(wanted TEXT) RETURNS BOOLEAN LANGUAGE sql STABLE
  AS $$ SELECT EXISTS (SELECT FROM harness.campaign_records r JOIN harness.campaigns c ON c.id = r.campaign
                       WHERE r.run = wanted AND NOT harness.is_member(c.role)) $$;
CREATE OR REPLACE FUNCTION is_open(wanted TEXT) RETURNS BOOLEAN LANGUAGE sql STABLE
  AS $$ SELECT EXISTS (SELECT FROM harness.runs WHERE id = wanted AND state <> 'complete')
               AND NOT harness.is_of_others(wanted) $$;
-- The results of a campaign's sick device are measured again.
CREATE OR REPLACE FUNCTION is_replaceable(wanted TEXT) RETURNS BOOLEAN LANGUAGE sql STABLE
  AS $$ SELECT EXISTS (SELECT FROM harness.runs WHERE id = wanted AND state = 'farmed')
               AND NOT harness.is_of_others(wanted) $$;
ALTER TABLE runs ENABLE ROW LEVEL SECURITY;
ALTER TABLE cases ENABLE ROW LEVEL SECURITY;
ALTER TABLE results ENABLE ROW LEVEL SECURITY;
ALTER TABLE process_values ENABLE ROW LEVEL SECURITY;
ALTER TABLE campaigns ENABLE ROW LEVEL SECURITY;
ALTER TABLE campaign_records ENABLE ROW LEVEL SECURITY;
ALTER TABLE campaign_cases ENABLE ROW LEVEL SECURITY;
ALTER TABLE tasks ENABLE ROW LEVEL SECURITY;
ALTER TABLE elements ENABLE ROW LEVEL SECURITY;
SELECT format('DROP POLICY IF EXISTS %I ON %I', policyname, tablename) FROM pg_policies
WHERE schemaname = 'harness' \gexec
SELECT format('CREATE POLICY readers ON %I FOR SELECT TO harness_read USING (true)', name),
       format('CREATE POLICY promoters ON %I TO harness_promote USING (true) WITH CHECK (true)', name)
FROM unnest(ARRAY['runs', 'cases', 'results', 'process_values', 'campaigns', 'campaign_records', 'campaign_cases', 'tasks',
                  'elements']) AS name \gexec
CREATE POLICY adders ON runs FOR INSERT TO harness_insert WITH CHECK (verdict = '' AND state <> 'complete');
CREATE POLICY finishers ON runs FOR UPDATE TO harness_insert USING (state <> 'complete' AND NOT is_of_others(id))
  WITH CHECK (verdict = '');
CREATE POLICY adders ON cases FOR INSERT TO harness_insert
  WITH CHECK (verdict = '' AND waived = 0 AND told_verdict = '' AND told_waived = 0 AND is_open(run));
CREATE POLICY counters ON cases FOR UPDATE TO harness_insert USING (is_open(run))
  WITH CHECK (verdict = '' AND waived = 0 AND told_verdict = '' AND told_waived = 0);
CREATE POLICY adders ON results FOR INSERT TO harness_insert WITH CHECK (is_open(run));
CREATE POLICY adders ON process_values FOR INSERT TO harness_insert WITH CHECK (is_open(run));
CREATE POLICY replacers ON results FOR UPDATE TO harness_insert USING (is_replaceable(run)) WITH CHECK (is_open(run));
CREATE POLICY removers ON results FOR DELETE TO harness_insert USING (is_replaceable(run));
CREATE POLICY removers ON process_values FOR DELETE TO harness_insert USING (is_replaceable(run));
CREATE POLICY planners ON campaigns FOR INSERT TO harness_insert WITH CHECK (role = current_user);
CREATE POLICY cancellers ON campaigns FOR UPDATE TO harness_insert USING (is_member(role));
CREATE POLICY planners ON campaign_records FOR INSERT TO harness_insert WITH CHECK (campaign IN (SELECT own_campaigns()));
CREATE POLICY planners ON campaign_cases FOR INSERT TO harness_insert WITH CHECK (campaign IN (SELECT own_campaigns()));
CREATE POLICY planners ON tasks FOR INSERT TO harness_insert WITH CHECK (campaign IN (SELECT own_campaigns()));
CREATE POLICY elements ON tasks FOR UPDATE TO harness_insert USING (campaign IN (SELECT own_campaigns()));
CREATE POLICY elements ON elements FOR INSERT TO harness_insert WITH CHECK (campaign IN (SELECT own_campaigns()));
CREATE POLICY measurers ON elements FOR UPDATE TO harness_insert USING (campaign IN (SELECT own_campaigns()));
COMMIT;
