// The data of claims, `harness-claims-page` version 1, written by harness/report/media/page/claims_page.cpp. Its texts
// are untrusted, as those of a page document are.

export type ClaimStatus = "confirmed" | "refuted" | "open";

export interface ClaimsPage {
  format: "harness-claims-page";
  version: 1;
  headline: string;
  confidence: number; // of all intervals
  claims: CheckedClaim[];
}

export interface CheckedClaim {
  suite: string;
  says: string;
  source: string;
  status: ClaimStatus;
  gate: boolean;
  figure: "speedup" | "change" | "difference" | "value";
  range: [number | null, number | null]; // that is claimed
  value: number | null; // that was found
  interval: [number, number] | null;
  claimed: string; // the same in words
  found: string;
  rating: string; // of a speedup: "excellent", "good", "measured", "investigate"
  scope: string; // how several cases decide
  gap: string; // why there is no answer
  cases: { case: string; against: string; status: ClaimStatus; found: string; gap: string }[];
}
