"""Every field case (what went wrong with real servers, logs, terminals, files, settings) and the tests that hold its right value."""

from __future__ import annotations

import ast
import functools
import re
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
# how many there are of streams, figures, logs, terminals, records and settings
CASES_OF_GROUP = {"A": 39, "B": 26, "C": 19, "D": 19, "E": 11, "F": 10}

ASSERTED_BY: dict[str, tuple[str, ...]] = {
    "A01": (
        "engine/test_field_cases::test_a_stream_that_trips_readers_is_read",
        "core/test_sse::test_a01_comments_between_events_are_no_events",
    ),
    "A02": (
        "engine/test_field_cases::test_a_stream_that_trips_readers_is_read",
        "core/test_sse::test_a02_crlf_framing_and_dated_pings_dispatch_as_they_come",
    ),
    "A04": ("engine/test_field_cases::test_a_stream_that_trips_readers_is_read", "core/test_sse::test_a04_empty_data_is_ignored"),
    "A05": ("engine/test_field_cases::test_a_stream_that_trips_readers_is_read", "core/test_sse::test_a05_no_space_after_the_colon"),
    "A06": (
        "engine/test_field_cases::test_a_stream_that_trips_readers_is_read", "core/test_sse::test_a06_several_data_lines_make_one_event",
    ),
    "A08": ("engine/test_field_cases::test_a_stream_that_trips_readers_is_read", "core/test_sse::test_a08_utf8_cut_between_reads"),
    "A11": ("engine/test_field_cases::test_a_stream_that_trips_readers_is_read", "core/test_state::test_a11_a_space_is_text"),
    "A12": ("engine/test_field_cases::test_a_stream_that_trips_readers_is_read", "servers/test_decode::test_a12_events_without_choices"),
    "A13": (
        "engine/test_field_cases::test_a_stream_that_trips_readers_is_read",
        "core/test_state::test_a13_the_finish_reason_noted_with_the_end_is_recorded",
    ),
    "A14": ("engine/test_field_cases::test_a_stream_that_trips_readers_is_read", "core/test_state::test_a14_the_last_usage_wins"),
    "A15": (
        "core/test_metrics::test_a15_without_usage_the_count_is_estimated_from_text_never_from_chunks",
        "engine/test_field_cases::test_a15_without_usage_tokens_are_an_estimate",
    ),
    "A16": (
        "engine/test_field_cases::test_a16_an_error_inside_the_stream_fails_the_run_and_keeps_the_text",
        "servers/test_decode::test_a16_error_in_band",
    ),
    "A19": (
        "core/test_metrics::test_a19_not_streamed_has_text_and_tokens_but_no_first_text_and_no_rates",
        "engine/test_field_cases::test_a19_an_answer_in_one_piece_has_no_rate",
    ),
    "A21": (
        "engine/test_field_cases::test_a21_a_bare_json_error_in_an_event_stream_is_found", "servers/test_decode::test_a21_bare_json_error",
    ),
    "A22": (
        "engine/test_field_cases::test_a22_an_error_event_without_an_error_key",
        "servers/test_decode::test_a22_error_event_without_error_key",
    ),
    "A23": ("engine/test_field_cases::test_a23_the_end_without_done",),
    "A24": (
        "engine/test_field_cases::test_a24_done_is_the_end_though_the_connection_stays_open",
        "io/test_client::test_a24_an_answer_that_does_not_end_is_left_at_once",
    ),
    "A25": ("engine/test_field_cases::test_a_stream_that_trips_readers_is_read", "core/test_sse::test_a25_last_event_without_a_blank_line"),
    "A26": (
        "engine/test_field_cases::test_a_stream_that_trips_readers_is_read", "servers/test_decode::test_a26_empty_finish_reason_is_none",
    ),
    "A27": (
        "engine/test_field_cases::test_a_stream_that_trips_readers_is_read",
        "servers/test_decode::test_a27_reasoning_under_either_name_once",
    ),
    "A28": (
        "engine/test_field_cases::test_a_stream_that_trips_readers_is_read",
        "core/test_state::test_a28_tool_calls_alone_are_text_and_calls_stand_apart",
    ),
    "A29": (
        "io/test_client::test_a29_a_compressed_answer_is_undone_and_told",
        "io/test_client::test_the_request_is_posted_as_json_uncompressed_with_the_key_in_one_header",
    ),
    "A30": (
        "core/test_metrics::test_a30_a_stream_a_proxy_held_back_has_no_rates",
        "engine/test_field_cases::test_a30_a_stream_that_was_held_back_has_no_rate",
    ),
    "A31": (
        "engine/test_field_cases::test_a31_a_connection_that_breaks_fails_the_run_and_keeps_the_text",
        "io/test_client::test_a31_a_body_that_breaks_off_is_an_error_after_what_came",
    ),
    "A32": ("engine/test_field_cases::test_a32_prefill_has_no_deadline_and_the_wait_is_told",),
    "A33": (
        "engine/test_field_cases::test_a_stream_that_trips_readers_is_read",
        "servers/test_decode::test_a33_progress_is_neither_text_nor_figures",
    ),
    "A34": (
        "io/test_client::test_a34_a_stale_connection_is_tried_again_once_on_a_new_one",
        "io/test_client::test_a34_a_connection_closed_while_idle_is_not_used",
    ),
    "A35": (
        "engine/test_field_cases::test_a35_a_loading_model_is_waited_for_and_the_wait_is_not_ttft",
        "servers/test_wire_errors::test_a35_loading_in_both_shapes_and_not_other_503s",
    ),
    "A36": (
        "engine/test_field_cases::test_a36_a_busy_server_is_asked_again_when_it_said",
        "engine/test_patience::test_a36_a_busy_server_says_how_long",
    ),
    "A37": (
        "engine/test_field_cases::test_a37_a_redirect_within_the_origin_is_followed",
        "io/test_client::test_a37_a_redirect_within_the_origin_keeps_method_body_and_key",
    ),
    "A38": (
        "io/test_tls::test_a38_a_certificate_nobody_vouches_for_is_refused_with_the_cause",
        "io/test_tls::test_a38_its_own_ca_is_trusted_when_named",
    ),
    "A39": ("io/test_client::test_a39_key_forms", "io/test_configfile::test_a39_key_forms"),
    "A40": (
        "servers/test_wire_errors::test_a40_wrong_model_lists_what_is_served", "engine/test_target::test_recognised_described_and_told",
    ),
    "A41": ("servers/test_url::test_a41_base_url_forms",),
    "A42": ("io/test_client::test_a42_localhost_is_found_on_either_family",),
    "A43": (
        "engine/test_field_cases::test_a43_a_broken_event_is_counted_and_the_rest_kept",
        "servers/test_decode::test_a43_broken_event_is_garbled_and_the_rest_kept",
    ),
    "A46": ("engine/test_field_cases::test_a46_the_first_choice_is_the_answer", "servers/test_decode::test_a46_other_choices_stay_apart"),
    "A48": ("engine/test_field_cases::test_a_stream_that_trips_readers_is_read", "core/test_sse::test_a48_byte_order_mark_first"),
    "A49": (
        "cli/test_needle::test_a49_an_interrupt_in_the_prefill_ends_at_once_with_code_4",
        "engine/test_field_cases::test_a49_cancelling_during_prefill_closes_the_socket_at_once",
    ),
    "B02": (
        "engine/test_field_cases::test_a_stream_that_trips_readers_is_read",
        "core/test_metrics::test_b02_two_tokens_an_event_are_not_two_events",
    ),
    "B03": ("core/test_tokens::test_b03_a_word_in_pieces_is_judged_on_the_joined_text",),
    "B04": (
        "core/test_metrics::test_b04_the_role_event_is_not_the_first_text", "engine/test_field_cases::test_b04_ttft_is_not_the_role_event",
    ),
    "B06": (
        "core/test_metrics::test_b06_usage_after_the_text_does_not_move_the_first_text",
        "engine/test_field_cases::test_b06_ttft_is_not_the_usage_event",
    ),
    "B07": ("core/test_metrics::test_b07_running_counts_give_the_first_chunk_exactly",),
    "B09": (
        "core/test_metrics::test_b09_a_wall_clock_that_jumps_back_is_only_a_label",
        "engine/test_field_cases::test_b09_a_clock_that_is_set_back_changes_no_interval",
    ),
    "B10": (
        "core/test_reported::test_b10_reasoning_inside_and_outside_completion_tokens",
        "servers/test_figures::test_b10_total_tokens_tell_reasoning_inside_from_outside",
    ),
    "B11": (
        "core/test_cells::test_b11_a_cached_prompt_leaves_only_the_prefill_and_first_text_medians",
        "core/test_reported::test_b11_prefill_counts_new_tokens_only_and_the_cache_is_flagged",
    ),
    "B13": (
        "engine/test_haystack::test_b13_the_length_is_met_in_the_servers_tokens",
        "engine/test_tokencount::test_b13_without_a_tokenizer_one_requests_usage_calibrates",
    ),
    "B14": (
        "cli/test_needle::test_b14_what_does_not_fit_is_a_row_and_the_exit_code_tells",
        "engine/test_field_cases::test_b14_a_prompt_that_does_not_fit_says_so",
    ),
    "B15": (
        "core/test_join::test_b15_queue_time_marks_the_run_not_idle",
        "core/test_reported::test_b15_queue_from_the_servers_figure_or_the_difference_of_its_times",
    ),
    "B16": ("engine/test_field_cases::test_a_stream_that_trips_readers_is_read", "core/test_cells::test_b16_unlike_lengths_are_noted"),
    "B17": ("core/test_statistics::test_b17_medians",),
    "B18": ("core/test_cells::test_b18_a_warm_up_is_listed_and_not_counted",),
    "B19": (
        "core/test_cells::test_b19_a_fall_from_the_first_run_to_the_last_is_noted",
        "core/test_sweepplan::test_interleaved_goes_there_and_back",
    ),
    "B20": ("servers/test_grammar_llamacpp::test_b20_both_wordings_alone", "servers/test_grammar_others::test_b20_five_engines"),
    "B21": ("servers/test_grammar_others::test_b21_sglang_rates_that_are_none",),
    "B22": (
        "core/test_drafting::test_b22_more_accepted_than_generated_has_a_rate_and_no_length",
        "servers/test_figures::test_b22_more_accepted_than_generated",
    ),
    "B23": (
        "core/test_cells::test_b23_runs_of_several_server_versions_are_noted",
        "report/test_comparing::test_b23_sides_on_other_server_versions_are_noted",
    ),
    "B24": (
        "core/test_reported::test_b24_acceptance_is_absent_when_nothing_was_proposed_or_counts_contradict",
        "servers/test_grammar_others::test_b24_nan_is_no_figure",
    ),
    "B25": ("servers/test_grammar_others::test_b21_sglang_rates_that_are_none",),
    "B26": (
        "core/test_cells::test_b26_acceptance_is_pooled_over_the_runs_that_have_it",
        "core/test_reported::test_b26_nothing_accepted_of_what_was_proposed_is_a_known_zero",
    ),
    "B27": (
        "io/test_gpumemory::test_b27_memory_not_reported", "io/test_gpumemory::test_it_is_given_up_where_it_says_nothing",
        "io/test_gpumemory::test_one_that_hangs_is_killed_and_costs_nobody_time", "io/test_memory::test_a_server_elsewhere_gives_nothing",
    ),
    "B28": ("engine/test_field_cases::test_b28_a_temperature_is_sent_and_kept_as_it_is_and_none_is_none",),
    "B30": ("core/test_needle::test_b30_needle_answers_in_other_spellings",),
    "B31": (
        "core/test_reported::test_b31_a_rounded_prefill_time_below_a_twentieth_of_a_second_is_no_figure",
        "core/test_reported::test_b31_an_exact_short_prefill_time_is_one",
    ),
    "C01": ("io/test_logtail::test_c01_renamed_the_old_file_is_read_to_its_end_first",),
    "C02": (
        "io/test_logtail::test_c02_truncated_and_written_anew",
        "io/test_logtail::test_c02_truncated_and_regrown_past_the_old_offset_between_two_looks",
    ),
    "C03": ("servers/test_grammar_tabbyapi::test_c03_half_a_line_is_not_read",),
    "C04": ("servers/test_grammar_tabbyapi::test_c04_to_c14_the_figures_survive_what_is_around_them",),
    "C05": (
        "servers/test_grammar_tabbyapi::test_c04_to_c14_the_figures_survive_what_is_around_them",
        "servers/test_grammar_tabbyapi::test_c09_wrapped_lines_behind_a_prefix",
    ),
    "C07": ("servers/test_grammar_tabbyapi::test_c04_to_c14_the_figures_survive_what_is_around_them",),
    "C08": ("servers/test_grammar_tabbyapi::test_c04_to_c14_the_figures_survive_what_is_around_them",),
    "C09": (
        "servers/test_grammar_tabbyapi::test_c09_carriers_mixed_in_one_file",
        "servers/test_grammar_tabbyapi::test_c09_wrapped_lines_behind_a_prefix",
    ),
    "C10": ("io/test_logcommand::test_c10_both_pipes_are_read_and_kept_apart", "io/test_logcommand::test_c10_the_whole_group_ends_with_us"),
    "C11": ("io/test_logpath::test_a_file_is_followed",),
    "C12": (
        "io/test_logtail::test_c12_not_there_yet_then_read_from_its_start",
        "io/test_logtail::test_c12_no_permission_is_a_state_and_is_tried_again", "io/test_logtail::test_a_folder_is_no_file",
        "io/test_logpath::test_a_folder_and_a_glob_mean_their_newest_file", "io/test_logpath::test_a_fifo_outlives_its_writers",
    ),
    "C13": ("servers/test_grammar_tabbyapi::test_c04_to_c14_the_figures_survive_what_is_around_them",),
    "C14": ("servers/test_grammar_tabbyapi::test_c04_to_c14_the_figures_survive_what_is_around_them",),
    "C15": (
        "engine/test_logfeed::test_c15_lines_from_before_a_run_are_never_its_acceptance",
        "io/test_logtail::test_c15_a_huge_sparse_file_opens_at_once_and_its_last_line_is_found",
    ),
    "C16": ("core/test_loglines::test_c16_a_character_cut_between_reads_stays_whole",),
    "C17": ("engine/test_logfeed::test_c17_lines_whose_clock_is_another_zones_are_joined_all_the_same",),
    "C19": ("servers/test_grammar_tabbyapi::test_c19_old_and_new_forms",),
    "C23": (
        "io/test_logfolder::test_c23_the_newest_log_is_followed_and_packed_ones_are_ignored",
        "io/test_logfolder::test_c23_a_file_that_appears_is_changed_to_after_the_old_ones_end",
    ),
    "C24": (
        "core/test_join::test_c24_a_line_700_ms_after_the_end_is_joined_by_id",
        "engine/test_logfeed::test_c24_a_late_line_is_joined_while_somebody_waits_for_it",
    ),
    "D01": ("core/test_scrub::test_d01_square_brackets_are_left_alone", "tui/test_hostile::test_d01_markup_is_shown_literally_everywhere"),
    "D03": (
        "core/test_scrub::test_d03_colour_codes_are_shown_and_do_not_act", "tui/test_hostile::test_d03_colour_codes_are_made_visible",
        "tui/test_terminal_cases::test_d03_nothing_a_server_says_acts_on_the_terminal",
        "tui/test_hostile_pages::test_hostile_text_on_every_page",
        "cli/test_hostile_output::test_answers_models_labels_and_logs_in_every_command",
    ),
    "D05": (
        "core/test_scrub::test_d05_wide_joined_and_combining_characters_stay",
        "tui/test_hostile::test_d05_wide_joined_and_combining_characters_keep_the_columns",
    ),
    "D06": (
        "core/test_scrub::test_d06_direction_overrides_are_marked", "tui/test_hostile::test_d06_direction_overrides_do_not_turn_the_line",
    ),
    "D07": ("tui/test_hostile::test_d07_no_size_breaks_the_screen_and_it_comes_back_whole",),
    "D08": (
        "tui/test_stream_view::test_d08_resizing_while_streaming_keeps_every_character",
        "tui/test_terminal_cases::test_d08_a_hundred_resizes_in_two_seconds_change_no_figure",
    ),
    "D09": (
        "cli/test_main::test_d09_without_a_terminal_the_screen_is_refused_before_textual",
        "tui/test_terminal_cases::test_d09_every_terminal_that_can_be_painted_is_told_by_words",
        "tui/test_terminal_cases::test_d09_no_color_leaves_only_greys",
        "tui/test_terminal_cases::test_d09_a_terminal_that_cannot_be_painted_gets_one_line_that_points_to_bench",
    ),
    "D10": (
        "cli/test_hostile_output::test_d10_bench_into_a_pipe_in_a_locale_that_is_not_utf8",
        "cli/test_main::test_d10_a_locale_that_is_not_utf8",
        "tui/test_terminal_cases::test_d10_the_screen_runs_in_a_locale_that_is_not_utf8",
    ),
    "D11": ("tui/test_stream_view::test_d11_y_sends_the_text_to_the_terminal_and_does_not_claim_more",),
    "D12": (
        "tui/test_terminal_cases::test_d12_the_mouse_can_be_left_to_the_terminal",
        "tui/test_terminal_cases::test_d12_the_help_says_how_to_mark_text",
    ),
    "D13": (
        "cli/test_bench::test_d13_interrupted_bench_saves_exports_and_exits_4",
        "cli/test_sweep::test_d13_an_interrupted_sweep_is_put_back_and_resumed",
        "tui/test_live::test_d13_ctrl_c_cancels_a_run_then_offers_to_quit",
        "tui/test_terminal::test_d13_ctrl_c_cancels_and_a_second_one_when_idle_quits",
    ),
    "D14": ("tui/test_terminal_cases::test_d14_nothing_needs_ctrl_s_or_ctrl_q_and_ctrl_s_freezes_nothing",),
    "D15": (
        "tui/test_terminal::test_d15_a_lost_line_ends_it_within_five_seconds_and_loses_no_run",
        "tui/test_terminal::test_d15_a_bench_whose_line_is_lost_keeps_its_runs_too",
    ),
    "D16": (
        "tui/test_terminal::test_d16_sigterm_in_a_run_restores_the_terminal_and_keeps_the_run",
        "tui/test_terminal::test_d16_a_crash_restores_the_terminal_and_is_one_line_without_anybodys_key",
    ),
    "D17": (
        "tui/test_stream_view::test_d17_twenty_thousand_chunks_at_once_are_all_there_and_painted_in_one_frame",
        "tui/test_terminal_cases::test_d17_a_thousand_events_a_second_are_timed_as_a_bench_times_them",
    ),
    "D18": (
        "tui/test_stream_text::test_d18_a_line_of_a_hundred_thousand_characters_stays_cheap_to_append_to",
        "tui/test_stream_view::test_d18_a_huge_paste_is_named_not_shown_and_sent_whole",
    ),
    "D19": ("cli/test_bench::test_d19_bench_without_a_terminal_prints_stores_and_exports",),
    "D20": (
        "tui/test_stream_view::test_d20_a_paste_of_many_lines_is_one_prompt_without_control_bytes",
        "tui/test_stream_view::test_d20_what_a_terminal_would_not_draw_as_it_is_is_named_and_sent_whole",
        "tui/test_terminal_cases::test_d20_a_paste_is_one_prompt_whatever_is_in_it",
    ),
    "D21": (
        "tui/test_terminal::test_d21_a_worker_that_dies_is_told_and_replaced_and_the_screen_goes_on",
        "tui/test_terminal_cases::test_d21_a_run_that_fails_is_told_and_the_next_one_can_be_sent",
    ),
    "E01": ("io/test_recovery::test_e01_a_bench_killed_in_mid_sweep_leaves_three_runs_and_the_fourth_cut_off",),
    "E02": ("io/test_database::test_e02_two_processes_with_200_records_each_make_400",),
    "E03": (
        "io/test_importing::test_e03_a_damaged_file_gives_its_good_runs_and_a_count",
        "io/test_journal::test_e03_a_journal_is_gone_on_with_after_its_torn_tail",
    ),
    "E04": ("cli/test_history::test_e04_export_to_a_full_device", "io/test_atomic::test_e04_dev_full_is_a_storage_error"),
    "E05": ("report/test_exports::test_e05_csv_gives_the_text_back",),
    "E07": (
        "io/test_atomic::test_e07_an_existing_file_is_replaced_only_by_force", "report/test_exports::test_e07_default_names_are_file_names",
    ),
    "E08": (
        "io/test_history_scale::test_e08_the_first_list_of_a_long_history", "io/test_history_scale::test_e08_lists_hold_no_texts_in_memory",
    ),
    "E09": (
        "io/test_database::test_e09_a_newer_schema_opens_read_only_with_a_note",
        "io/test_history::test_e09_unknown_fields_survive_a_rewrite",
    ),
    "E10": (
        "io/test_history::test_e10_figures_that_are_not_numbers_are_stored_as_absent", "report/test_exports::test_e10_nan_becomes_null",
    ),
    "E11": ("report/test_exports::test_e11_markdown_tables_hold_whatever_the_names_are",),
    "E12": ("report/test_exports::test_e12_the_decimal_point_stays_whatever_the_locale",),
    "F01": ("io/test_configfile::test_f01_tab_unclosed_quote_and_duplicate_key", "io/test_configfile::test_f01_no_mistake_shows_a_value"),
    "F02": ("io/test_configfile::test_f02_unknown_key_names_the_nearest",),
    "F03": ("io/test_configfile::test_f03_text_stays_as_written", "io/test_configfile::test_f03_numbers_keep_the_form_they_were_given_in"),
    "F04": ("io/test_configfile::test_f04_environment_values",),
    "F06": (
        "core/test_masking::test_f06_secrets_in_urls_are_masked_when_shown", "servers/test_url::test_f06_secrets_are_used_and_never_shown",
    ),
    "F07": ("io/test_configfile::test_f07_order_of_places", "io/test_configfile::test_f07_commands_from_the_current_folder_need_consent"),
    "F08": ("io/test_configfile::test_f08_readable_file_with_a_key_is_mentioned",),
    "F09": ("io/test_configfile::test_f09_empty_null_list_and_text",),
    "F10": ("io/test_configfile::test_f10_files_from_windows",),
    "F11": ("io/test_configfile::test_f11_tabbyapis_own_key_file",),
}  # fmt: skip

# cases that are held less than whole, and why
NOT_WHOLLY: dict[str, str] = {
    "B25": "trtllm-bench prints to a report of its own that nothing here reads; that a rate above 1 is no rate is held for every engine",
}


@functools.cache
def names_in(file: Path) -> frozenset[str]:
    """Names of the test functions of a file, those in classes too."""
    tree = ast.parse(file.read_text("utf-8"))
    found = (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))
    return frozenset(node.name for node in found if node.name.startswith("test_"))


def test_no_case_is_missing() -> None:
    groups = [case_id[0] for case_id in ASSERTED_BY]
    assert {group: groups.count(group) for group in CASES_OF_GROUP} == CASES_OF_GROUP
    assert all(re.fullmatch(r"[A-F]\d\d", case_id) for case_id in ASSERTED_BY)
    assert NOT_WHOLLY.keys() <= ASSERTED_BY.keys()


@pytest.mark.parametrize("case_id", ASSERTED_BY)
def test_its_tests_are_there(case_id: str) -> None:
    assert ASSERTED_BY[case_id]
    for node in ASSERTED_BY[case_id]:
        file, _, name = node.partition("::")
        assert name in names_in(TESTS / f"{file}.py"), node
