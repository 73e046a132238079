// Made by Scripts/embed-resources (`make resources`); do not edit.
#include "Resources.h"

// sha256 38102cd34f29e40db6af41e0f47bbf676e849f6282f802ba63327d1f747787cc
static const unsigned char Sources_AccountDatabase_Migrations_0001_accounts_sql[] = {
#embed "../../Sources/AccountDatabase/Migrations/0001_accounts.sql"
};

// sha256 8d22ab1a6a543148a34792088417f945e41fc84f846a715cbe3268b3d6eddfa3
static const unsigned char Sources_AccountDatabase_Migrations_0002_assets_sql[] = {
#embed "../../Sources/AccountDatabase/Migrations/0002_assets.sql"
};

// sha256 1de11d94e7f12dc80515ab8748433a2d2e85986892e9866a740943658bc3b574
static const unsigned char Sources_AccountDatabase_Migrations_0003_providers_sql[] = {
#embed "../../Sources/AccountDatabase/Migrations/0003_providers.sql"
};

// sha256 260d309196dd383aa38e321bda21a93f68ffff44ef25de51bf7c2e5d3c5e3c86
static const unsigned char Sources_AccountDatabase_Migrations_0004_nodes_sql[] = {
#embed "../../Sources/AccountDatabase/Migrations/0004_nodes.sql"
};

// sha256 94b1a4fee883d34728ffafe2440dbb7e9e1d6e861fe07976aa27d133b00eac7e
static const unsigned char Sources_AccountDatabase_Migrations_0005_sign_in_codes_sql[] = {
#embed "../../Sources/AccountDatabase/Migrations/0005_sign_in_codes.sql"
};

// sha256 87bea360b8c11b5b246e949deb24890588beb54ad200e28657a6b6fd2fd9b3a3
static const unsigned char Sources_AccountDatabase_Migrations_0006_known_clients_sql[] = {
#embed "../../Sources/AccountDatabase/Migrations/0006_known_clients.sql"
};

// sha256 7f37bdb1064f5b1e98e231cf81fba22d29dc2a76fc157b12b33546f83f068ec2
static const unsigned char Sources_AccountDatabase_Migrations_0007_mail_queue_sql[] = {
#embed "../../Sources/AccountDatabase/Migrations/0007_mail_queue.sql"
};

// sha256 35d7372bdec779aefe05ff2880bb91b0802bb9962929d7c489da9a47a88ac012
static const unsigned char Sources_AccountDatabase_Migrations_0008_takeovers_sql[] = {
#embed "../../Sources/AccountDatabase/Migrations/0008_takeovers.sql"
};

// sha256 5681045cf59936d241f8ec326baf02bf697cb07c701c18cb65c4cebb909cf753
static const unsigned char Sources_AccountDatabase_Migrations_0009_recent_sign_in_sql[] = {
#embed "../../Sources/AccountDatabase/Migrations/0009_recent_sign_in.sql"
};

// sha256 e9f5924962867ebdd2140e0302caf60d9522895deb524d74d0f6b090a5edacfd
static const unsigned char Sources_AccountDatabase_Migrations_0010_notices_sql[] = {
#embed "../../Sources/AccountDatabase/Migrations/0010_notices.sql"
};

// sha256 b21e0cbaadd5dc9572ac56345c96f2260e70a210b2c35ec21feef30981659439
static const unsigned char Sources_AccountDatabase_Migrations_0011_sessions_sql[] = {
#embed "../../Sources/AccountDatabase/Migrations/0011_sessions.sql"
};

// sha256 2397b0aaf494f6b218721866e93b5420f01a753ad1733591fd2d8855637b6974
static const unsigned char Sources_AccountDatabase_Migrations_0012_browser_sessions_sql[] = {
#embed "../../Sources/AccountDatabase/Migrations/0012_browser_sessions.sql"
};

// sha256 103adac9525ef0079ad98acdde283a98d4674782fa37670619d3af36f95f7df8
static const unsigned char Sources_AccountDatabase_Migrations_0013_time_zones_sql[] = {
#embed "../../Sources/AccountDatabase/Migrations/0013_time_zones.sql"
};

// sha256 2e3728005f28d4cd945c0c22cda563a4f1cf269bf4828041548c1b3406751706
static const unsigned char Sources_AccountDatabase_Migrations_0014_user_search_sql[] = {
#embed "../../Sources/AccountDatabase/Migrations/0014_user_search.sql"
};

// sha256 041011ab4819a4101af82d82bd96e2e107d6e57c458b5b0da83eaca5f141ed2d
static const unsigned char Sources_AccountDatabase_Migrations_0015_audit_sql[] = {
#embed "../../Sources/AccountDatabase/Migrations/0015_audit.sql"
};

// sha256 27cc1af522024a182c2178c62e9c41357052bffac73bec5464eaf9c261b3ea70
static const unsigned char Sources_AccountDatabase_Migrations_0016_mail_trace_sql[] = {
#embed "../../Sources/AccountDatabase/Migrations/0016_mail_trace.sql"
};

// sha256 b126ce521793cfa936435ffd5e39fd28ce130152b6fd2678ce8ab368250ccc19
static const unsigned char Sources_AccountDatabase_Migrations_0017_link_only_mails_sql[] = {
#embed "../../Sources/AccountDatabase/Migrations/0017_link_only_mails.sql"
};

// sha256 4a0a38f3b4ab66fa717af37b559e60143c47e005d36c105d7110b88f4c8349c8
static const unsigned char Sources_AccountDatabase_Migrations_0018_console_sql[] = {
#embed "../../Sources/AccountDatabase/Migrations/0018_console.sql"
};

// sha256 6f3668754462e39157ad40d61953d2f7ee43573c12bbe55d90e1934625978f0b
static const unsigned char Sources_AccountDatabase_Migrations_0019_firebase_move_sql[] = {
#embed "../../Sources/AccountDatabase/Migrations/0019_firebase_move.sql"
};

// sha256 048f8d34253c0cfcb74f18d41f850e9d4a8fec0aa6bfac7b8686046904e6aff9
static const unsigned char Sources_AccountDatabase_Migrations_0020_session_networks_sql[] = {
#embed "../../Sources/AccountDatabase/Migrations/0020_session_networks.sql"
};

// sha256 120573eac009d68f0b6edcfab9c98709d74c018a01dd4367e2ce5f7924e60739
static const unsigned char Sources_AccountDatabase_Migrations_0021_room_on_pages_sql[] = {
#embed "../../Sources/AccountDatabase/Migrations/0021_room_on_pages.sql"
};

// sha256 671e94a7c5a7fb6a13086a69a629ee5184df3f180d2877b867a303e6df02cb4c
static const unsigned char Sources_AccountDatabase_Migrations_0022_document_audit_sql[] = {
#embed "../../Sources/AccountDatabase/Migrations/0022_document_audit.sql"
};

// sha256 7170678d17806369bd918c470619dbd13b882dc02b9db4d302248f68bd24e863
static const unsigned char Sources_AccountDatabase_Migrations_0023_user_numbers_sql[] = {
#embed "../../Sources/AccountDatabase/Migrations/0023_user_numbers.sql"
};

// sha256 d4e86f71d88cfd383fac354440ad832500c28ee3862782221af3dc077cefe0a0
static const unsigned char Sources_AccountDatabase_Migrations_0024_room_for_sign_ins_sql[] = {
#embed "../../Sources/AccountDatabase/Migrations/0024_room_for_sign_ins.sql"
};

// sha256 e800a187d385095eee231e8ea7bb582e5a85851fadd089be51796f16b891165e
static const unsigned char Sources_AccountDatabase_Schema_sqlite_sql[] = {
#embed "../../Sources/AccountDatabase/Schema/sqlite.sql"
};

// sha256 698455c5dddf6b10a5d3eb6365ad9ef95adabf6b51829c18c2cca295ed2d30a2
static const unsigned char Sources_WebClient_console_console_js[] = {
#embed "../../Sources/WebClient/console/console.js"
};

// sha256 9b7184d41633c4641da2b29ff3b516d894a774893c50f503f37bb8e733337b8a
static const unsigned char Sources_WebClient_demo_demo_css[] = {
#embed "../../Sources/WebClient/demo/demo.css"
};

// sha256 8c3accbf1fbce585fb8249b52a2d03093c4bc8f10091889abadfd443b5531c21
static const unsigned char Sources_WebClient_demo_demo_js[] = {
#embed "../../Sources/WebClient/demo/demo.js"
};

// sha256 f69a56794b37438e7cf55927f95f9595671ae45621713d02605999bf50953548
static const unsigned char Sources_WebClient_demo_index_html[] = {
#embed "../../Sources/WebClient/demo/index.html"
};

// sha256 9454cea237dbb5cc4694f3b27bed766c330aa4cedca394d70ddd22f719922de0
static const unsigned char Sources_WebClient_dist_latchkey_0_1_0_js[] = {
#embed "../../Sources/WebClient/dist/latchkey-0.1.0.js"
};

// sha256 b3d35c47f2b14e9880092ca54e82c79dae4633cf0e0212482086148afe3de86b
static const unsigned char Sources_WebClient_dist_latchkey_0_1_0_js_br[] = {
#embed "../../Sources/WebClient/dist/latchkey-0.1.0.js.br"
};

// sha256 72b95402e8f1bb94d5b31de4cd266310ca31be836e4e516b134dabc0154037e7
static const unsigned char Sources_WebClient_dist_latchkey_0_1_0_js_gz[] = {
#embed "../../Sources/WebClient/dist/latchkey-0.1.0.js.gz"
};

// sha256 038991bb5717a67765c0801ce2682cd74a48de02ab536de1fbdb53d445bf878a
static const unsigned char Sources_WebClient_dist_latchkey_0_1_0_tgz[] = {
#embed "../../Sources/WebClient/dist/latchkey-0.1.0.tgz"
};

// sha256 6258d07518fa059baaab965afa6ba06e31e8397e6df9e9f891039dfdd9ab0c87
static const unsigned char Sources_WebClient_mailbox_mailbox_js[] = {
#embed "../../Sources/WebClient/mailbox/mailbox.js"
};

// sha256 c61b53e43998b74c33cc5679a524c053d72c098971a5f51c6066a28a98d485b3
static const unsigned char Templates_colors_json[] = {
#embed "../../Templates/colors.json"
};

// sha256 0d6b9897c5a712aabacf32497b66588c3cc099e88e7e09339667f7b637056ee8
static const unsigned char Templates_email_button_html[] = {
#embed "../../Templates/email/button.html"
};

// sha256 fe173b3099e81aee623b1e6b9d5f643face2797ef4cac0cf95b70b0623c78729
static const unsigned char Templates_email_change_email_html[] = {
#embed "../../Templates/email/change-email.html"
};

// sha256 e968fe3099330ddeca1d75f733d78029c1f3f295d7fad3c14fd657668d283260
static const unsigned char Templates_email_change_email_txt[] = {
#embed "../../Templates/email/change-email.txt"
};

// sha256 5b99c9c20f4b89e3a0e64c12be2190e4dc59a91fc74d5a89ebf6126b85493d10
static const unsigned char Templates_email_copy_link_html[] = {
#embed "../../Templates/email/copy-link.html"
};

// sha256 6c1292861875b9963d3ad87cf562d4b887ce06c6fe083cb072400d563dadc4b2
static const unsigned char Templates_email_email_changed_html[] = {
#embed "../../Templates/email/email-changed.html"
};

// sha256 bfa4c68d27e894e5512e2aae42af2f09f7832d24377078b98a1b2ed3853a59db
static const unsigned char Templates_email_email_changed_txt[] = {
#embed "../../Templates/email/email-changed.txt"
};

// sha256 ebf4f336d1db0a2d67fc5047e7b9d8655b61a408517cc510c6e6a97b404b71ce
static const unsigned char Templates_email_email_in_use_html[] = {
#embed "../../Templates/email/email-in-use.html"
};

// sha256 0610249612ac2eedda19de89a3435f2adfa7e0a0a4457acded0f463359feb79f
static const unsigned char Templates_email_email_in_use_txt[] = {
#embed "../../Templates/email/email-in-use.txt"
};

// sha256 fbd0070a55932c7bc17655edea0e0a16f1e8c5688c7b202b745e1ce8df90f92a
static const unsigned char Templates_email_fact_html[] = {
#embed "../../Templates/email/fact.html"
};

// sha256 28d5f42d56722f99d15d6fcdc396b83a7e6f33cde8189427b542bd6012836e18
static const unsigned char Templates_email_footer_link_html[] = {
#embed "../../Templates/email/footer-link.html"
};

// sha256 7c072bbe6f3db8a8e689d4cc81ef0d0bf22a3fcfa91f550a0e32fc345667a4d6
static const unsigned char Templates_email_layout_html[] = {
#embed "../../Templates/email/layout.html"
};

// sha256 049e30c1ad705e03b64318bf1a6b9caaa39e0fc1eeda3e4a3f681ef78efb152a
static const unsigned char Templates_email_logo_html[] = {
#embed "../../Templates/email/logo.html"
};

// sha256 cf4f3750b41e0a3218b77e79e13f5c89b95240b904cd55c72c020f1b72a9c1c9
static const unsigned char Templates_email_method_added_html[] = {
#embed "../../Templates/email/method-added.html"
};

// sha256 100a06b20a942d812aa963aff14bae24f46adfd5c178c57ff5c43759cf72a0bc
static const unsigned char Templates_email_method_added_txt[] = {
#embed "../../Templates/email/method-added.txt"
};

// sha256 817bc59eb1cc431852c53eba012ef5d93008e4e4d58501f189b55992084dfd19
static const unsigned char Templates_email_method_removed_html[] = {
#embed "../../Templates/email/method-removed.html"
};

// sha256 1a8bc617726bad06940403c171af65c964340e2eb2593662fa0de415ad4a5006
static const unsigned char Templates_email_method_removed_txt[] = {
#embed "../../Templates/email/method-removed.txt"
};

// sha256 6eb47d4bf474895858ee7c57bf166ad316a663deb47e93df023d1e39a9812e1f
static const unsigned char Templates_email_quiet_button_html[] = {
#embed "../../Templates/email/quiet-button.html"
};

// sha256 92626999f6e3a31f49a5852a4107065318b6f427bff1959644ae97f16e2e737e
static const unsigned char Templates_email_sign_in_html[] = {
#embed "../../Templates/email/sign-in.html"
};

// sha256 d0b4c1c5b80074bf10268017731d9f2303e08ab0df1fb000847be74ce1e054cd
static const unsigned char Templates_email_sign_in_txt[] = {
#embed "../../Templates/email/sign-in.txt"
};

// sha256 a79ebf4a2cca23c95d75ba57444a8627f32d378f388061e3a8ef6cb56df6b7b3
static const unsigned char Templates_email_support_html[] = {
#embed "../../Templates/email/support.html"
};

// sha256 0df2c951c0ad2a328eb71a9ec102f7e980bc7a06c6ddec5b73da9fb67f2a03ae
static const unsigned char Templates_email_verify_email_html[] = {
#embed "../../Templates/email/verify-email.html"
};

// sha256 27fcab2fcaabf85998813ec3897651a31e5667b1ac6c99f48132588416f119d6
static const unsigned char Templates_email_verify_email_txt[] = {
#embed "../../Templates/email/verify-email.txt"
};

// sha256 153c6a26088aac9f643ae62315350c851312aa65bd0b458b8a7042422e441c43
static const unsigned char Templates_pages_account_address_html[] = {
#embed "../../Templates/pages/account-address.html"
};

// sha256 fab85b3d3e7fc7daff6380dbda7f543cc0e3dade58e1753619fba9f0d5efa76c
static const unsigned char Templates_pages_account_confirm_html[] = {
#embed "../../Templates/pages/account-confirm.html"
};

// sha256 009cd990396b5c08e8db5f5b9a4618f0ea749cfa107b5174a5a18d9091e2d1b7
static const unsigned char Templates_pages_account_continue_html[] = {
#embed "../../Templates/pages/account-continue.html"
};

// sha256 dce0a6a84b556e6327425340c8377d7b83a2fd8bdbc4806930ddd9c3104603ef
static const unsigned char Templates_pages_account_delete_html[] = {
#embed "../../Templates/pages/account-delete.html"
};

// sha256 408ff59d0bb486b654b4e967d416cb3a8e7a6fd5f0f3b087b14fdb1599784f94
static const unsigned char Templates_pages_account_deleted_html[] = {
#embed "../../Templates/pages/account-deleted.html"
};

// sha256 a58f4a2a029f67dd0904488b0b89e56d048772dbfbb597a15ada418705f00bd6
static const unsigned char Templates_pages_account_end_session_html[] = {
#embed "../../Templates/pages/account-end-session.html"
};

// sha256 78ca839d59bae8ce5f47df9625343d2d339a21f2267e772320060364a7fc997a
static const unsigned char Templates_pages_account_message_html[] = {
#embed "../../Templates/pages/account-message.html"
};

// sha256 e2b79a61067e006dca744de2f36a87e7c6abb910b46ead2330658642615199bd
static const unsigned char Templates_pages_account_method_html[] = {
#embed "../../Templates/pages/account-method.html"
};

// sha256 fde6c009cb1f8894162370058533855b77d752620543d16b43f1cf7216034ca9
static const unsigned char Templates_pages_account_sent_html[] = {
#embed "../../Templates/pages/account-sent.html"
};

// sha256 f7d2926827daf0ad865692c015a9f986c1ec8870e6b409646818419d2d913877
static const unsigned char Templates_pages_account_session_html[] = {
#embed "../../Templates/pages/account-session.html"
};

// sha256 a2371e8abcf5f0cb10c56742310a26f1eb9d3c84322b914f5c0edc16d40baee4
static const unsigned char Templates_pages_account_sign_in_approved_html[] = {
#embed "../../Templates/pages/account-sign-in-approved.html"
};

// sha256 2bebda32b1942a2d0af0c09dc7e9d4cb7eb2a129e2a600cd898898892cfbd154
static const unsigned char Templates_pages_account_sign_in_code_html[] = {
#embed "../../Templates/pages/account-sign-in-code.html"
};

// sha256 44440e0dc05a0a71bc124040c04689cce850d8d09025879176719ba50de4426d
static const unsigned char Templates_pages_account_sign_in_inbox_html[] = {
#embed "../../Templates/pages/account-sign-in-inbox.html"
};

// sha256 c2b81d62a2211773c914e4fd6cb36b5fb5c03e8c532f6350b46f13e5d2e80934
static const unsigned char Templates_pages_account_sign_in_html[] = {
#embed "../../Templates/pages/account-sign-in.html"
};

// sha256 90ff1ca0466ef4b81f0b02c10f92302966bfd1df06984b6d19b3d0bc0ea98f35
static const unsigned char Templates_pages_account_html[] = {
#embed "../../Templates/pages/account.html"
};

// sha256 9fa6f536f3b612dada3793d9cea860a6cb8f1c4c5f73688657e75f85c7762bc9
static const unsigned char Templates_pages_already_signed_in_html[] = {
#embed "../../Templates/pages/already-signed-in.html"
};

// sha256 2e18d494dc407f99ade776044554ec103ee9a52cf303d44817c3ba11f40db54d
static const unsigned char Templates_pages_approve_html[] = {
#embed "../../Templates/pages/approve.html"
};

// sha256 fe3956f0f8765802dfc4953b2b3a126d98f7ad33163645ed09b9a3470b9cf3ce
static const unsigned char Templates_pages_approved_html[] = {
#embed "../../Templates/pages/approved.html"
};

// sha256 a57acfe9e16a46c6d200cd9da22274bc3aa0247a149993fa3cdd1cf4d17414aa
static const unsigned char Templates_pages_back_html[] = {
#embed "../../Templates/pages/back.html"
};

// sha256 944526f9fd8bc8d0fb0cecfd8f17fd54238feb2284e506be91e4689165901ffe
static const unsigned char Templates_pages_code_html[] = {
#embed "../../Templates/pages/code.html"
};

// sha256 4460f6ec81c483ca9226e8af34c90a9b1a3cf7fcececff907b06522e04071149
static const unsigned char Templates_pages_codes_paused_html[] = {
#embed "../../Templates/pages/codes-paused.html"
};

// sha256 24f10c845bf314933b84a70ee890614bbb2d711a60b301451c9c4b2eb68d8505
static const unsigned char Templates_pages_confirm_change_email_html[] = {
#embed "../../Templates/pages/confirm-change-email.html"
};

// sha256 0c2ac83b0b23b52ed3f06e60463a939f02a1e7ad9cefcfdbe83098a2afd613b1
static const unsigned char Templates_pages_confirm_contest_html[] = {
#embed "../../Templates/pages/confirm-contest.html"
};

// sha256 4c17b6270ab51873639cb47bf3f04c64644a4b321c50577bcec6ef69e05e6c3b
static const unsigned char Templates_pages_confirm_recover_email_html[] = {
#embed "../../Templates/pages/confirm-recover-email.html"
};

// sha256 984612ecd41e8f9413f01d845e7a410573dfde7c4c677c50e1e978b60bd8c3e7
static const unsigned char Templates_pages_confirm_revert_change_html[] = {
#embed "../../Templates/pages/confirm-revert-change.html"
};

// sha256 6f053e2d57e944ecd7c07e5b8ed400356e9ea3bebdee54356ae8a0c6dfa452b3
static const unsigned char Templates_pages_confirm_verify_email_html[] = {
#embed "../../Templates/pages/confirm-verify-email.html"
};

// sha256 a8978599ce43bca78b92f2f3968d1f71ee998d79cb491c481931fa8c0a87243a
static const unsigned char Templates_pages_console_audit_html[] = {
#embed "../../Templates/pages/console/audit.html"
};

// sha256 832061bb7b71409578e96991c35a0482a792efc13ced6d15f7111edb6403e6f9
static const unsigned char Templates_pages_console_clean_up_html[] = {
#embed "../../Templates/pages/console/clean-up.html"
};

// sha256 604af05de8ab6d27fc9e7e45c1947e859543901cd7b3feccf2c6d3c735b96394
static const unsigned char Templates_pages_console_configuration_html[] = {
#embed "../../Templates/pages/console/configuration.html"
};

// sha256 6dd5847eac5c00a29e353c6851fa1c20a58d232493b83ac1a42e41c3493098d4
static const unsigned char Templates_pages_console_confirm_html[] = {
#embed "../../Templates/pages/console/confirm.html"
};

// sha256 4c2b7626d5ddded824b20ce3f72d64b53e785b11961e50ba18ba0d031fa3ca2b
static const unsigned char Templates_pages_console_document_html[] = {
#embed "../../Templates/pages/console/document.html"
};

// sha256 5b921f51752257526820bef2f7814a6b372cf5d6e525c8c421becfbf03b8b68e
static const unsigned char Templates_pages_console_inbox_html[] = {
#embed "../../Templates/pages/console/inbox.html"
};

// sha256 55bba1513b22c3c77a2d6e92a3a12f248d07d78bd40f0d5a755c7e0f9f976618
static const unsigned char Templates_pages_console_layout_html[] = {
#embed "../../Templates/pages/console/layout.html"
};

// sha256 322efbe2c9e14e1635631a1fd869fcce6b2539eb6e080ed1a7afa47051b8dc74
static const unsigned char Templates_pages_console_mail_html[] = {
#embed "../../Templates/pages/console/mail.html"
};

// sha256 d9dedec7b57e27cc74d0d00134b07a1e2ca19baf37b09f719f911a9ef985a144
static const unsigned char Templates_pages_console_message_html[] = {
#embed "../../Templates/pages/console/message.html"
};

// sha256 edcd1175d7e9b8d574d4467eca6876c889a177dfc8851356e78ad6d272db3aad
static const unsigned char Templates_pages_console_open_html[] = {
#embed "../../Templates/pages/console/open.html"
};

// sha256 813ec5e8da808180412e0f0c0b21a7e8fc1715be7cfcc966ce0e780a0b060ad2
static const unsigned char Templates_pages_console_overview_html[] = {
#embed "../../Templates/pages/console/overview.html"
};

// sha256 b7ee35b3c2daa1ad8c8ff2a22d4fb180a9dc2c4dae6c5b25e47c4373cc91908c
static const unsigned char Templates_pages_console_receipt_html[] = {
#embed "../../Templates/pages/console/receipt.html"
};

// sha256 e2e125a060ddd7573cf96dbd0f9e926b1e4f451d8b2e6302e638b52182564f93
static const unsigned char Templates_pages_console_refused_html[] = {
#embed "../../Templates/pages/console/refused.html"
};

// sha256 11a943f1f9b63045469e8d8ff93768467266a2c2249e99ab86aadcf32ab6199f
static const unsigned char Templates_pages_console_sign_in_html[] = {
#embed "../../Templates/pages/console/sign-in.html"
};

// sha256 1bdcf0002900feb4c65253ec38308f3b57225c5908e94a8222f655e231435b51
static const unsigned char Templates_pages_console_style_css[] = {
#embed "../../Templates/pages/console/style.css"
};

// sha256 0f3eae3eee79e429f22bd0c3b117ffb26460a0db6d5e8f1dbbbfa58242691b43
static const unsigned char Templates_pages_console_user_html[] = {
#embed "../../Templates/pages/console/user.html"
};

// sha256 eedcedd25e9117652948b1a2cc73c17adc302b2d09cb41b0cbb88140bac2a463
static const unsigned char Templates_pages_console_users_html[] = {
#embed "../../Templates/pages/console/users.html"
};

// sha256 bcd11511e766727fd9d4c369b72ea1746ce3e95fcd8a41eddbd46d1b30a5bef9
static const unsigned char Templates_pages_denied_email_html[] = {
#embed "../../Templates/pages/denied-email.html"
};

// sha256 b76236b504055eb496d4d66a545f20e36c52627195a40cb0ddc3bd6bff32b14a
static const unsigned char Templates_pages_denied_html[] = {
#embed "../../Templates/pages/denied.html"
};

// sha256 ffba2d78ffae679650aea328e6678eee9a2f83e5e05389ca33906f157c17d378
static const unsigned char Templates_pages_done_change_email_html[] = {
#embed "../../Templates/pages/done-change-email.html"
};

// sha256 6b74b3731e84aeb3e5e3b9e78a3a04e57c8d3198bb2bdafe3b9ca4ca31701c34
static const unsigned char Templates_pages_done_contest_html[] = {
#embed "../../Templates/pages/done-contest.html"
};

// sha256 70068e4b872c5b95d343570ab5c69462def4641974013e1e8fa292bc22ac6bd2
static const unsigned char Templates_pages_done_recover_email_html[] = {
#embed "../../Templates/pages/done-recover-email.html"
};

// sha256 2a21d138d156cdd570c6e5b92a6c41d44e4a55167f438751073e5d18d46ed8a5
static const unsigned char Templates_pages_done_revert_change_html[] = {
#embed "../../Templates/pages/done-revert-change.html"
};

// sha256 f710ff5839b0ae19d679d9ede2852d8d476afe6b2522179e942a685273ca62eb
static const unsigned char Templates_pages_done_verify_email_html[] = {
#embed "../../Templates/pages/done-verify-email.html"
};

// sha256 e3a94386268be454febc7c22b7a0896de9f85c0e72aff7910aeaa37c3a178da0
static const unsigned char Templates_pages_error_html[] = {
#embed "../../Templates/pages/error.html"
};

// sha256 ab701e22b6aea53d61b06fef182d9f8cbfa300e4db39647a7de458b6b9095678
static const unsigned char Templates_pages_expired_html[] = {
#embed "../../Templates/pages/expired.html"
};

// sha256 f780a4c482e5b1b11f2623357abcc53e10ed04021c38aab5bb3c8fe9cd7a27a9
static const unsigned char Templates_pages_footer_link_html[] = {
#embed "../../Templates/pages/footer-link.html"
};

// sha256 ca7f79b95f3c778b51f334c43a17022a628f20688219de74c58ca4cb2d77e6d3
static const unsigned char Templates_pages_landing_html[] = {
#embed "../../Templates/pages/landing.html"
};

// sha256 4796523f7a8c31040cb29c38a5b95367f088eda6593844e0823c56ec15c34d53
static const unsigned char Templates_pages_layout_html[] = {
#embed "../../Templates/pages/layout.html"
};

// sha256 5ea886b5b6511cdfbed97f3eb79851e937e045f9a73390881c348fc05680d35a
static const unsigned char Templates_pages_link_denied_html[] = {
#embed "../../Templates/pages/link-denied.html"
};

// sha256 206a04dc21286cc7133b8bd6eda77400260e76741c542eaccea12a81af72f517
static const unsigned char Templates_pages_link_ended_html[] = {
#embed "../../Templates/pages/link-ended.html"
};

// sha256 3ca735af2b7c8e87a9359525148cfc4da7dbb4af0d9469fdedeb8efa6e69bc51
static const unsigned char Templates_pages_link_expired_html[] = {
#embed "../../Templates/pages/link-expired.html"
};

// sha256 b56d935fb4970d7ef86558df74ad1511b9f91c846c9ee3d699266f4694c34229
static const unsigned char Templates_pages_link_replaced_html[] = {
#embed "../../Templates/pages/link-replaced.html"
};

// sha256 5df7181386910e58579b24b4af6700331c471fb32d021a9c71e576a9b89b0cf4
static const unsigned char Templates_pages_link_used_html[] = {
#embed "../../Templates/pages/link-used.html"
};

// sha256 203e6271933b2a046c9975d8039cb80f4b793b77353c40604bec0c64b2d7a726
static const unsigned char Templates_pages_logo_html[] = {
#embed "../../Templates/pages/logo.html"
};

// sha256 1219067c0bbbc86a13d5a56ffc29a5781423ca8076a555922c16c3d5cfe1dac7
static const unsigned char Templates_pages_mailbox_link_html[] = {
#embed "../../Templates/pages/mailbox-link.html"
};

// sha256 6d8d2c11166719a6e1610bce205857ae877279cc6d0e08bd18b3aee0bdbb543f
static const unsigned char Templates_pages_mailbox_message_html[] = {
#embed "../../Templates/pages/mailbox-message.html"
};

// sha256 ad6a681e63647492485d36e0f51d57f4d190bb34b7cfff3a704bf6236b416377
static const unsigned char Templates_pages_mailbox_row_html[] = {
#embed "../../Templates/pages/mailbox-row.html"
};

// sha256 2ef9694342a01825ede879949d8a9723a3b38b39089309ad788e186c4be5ef83
static const unsigned char Templates_pages_mailbox_html[] = {
#embed "../../Templates/pages/mailbox.html"
};

// sha256 b9f89e57f8ab2e8db4af5007994344b25ecc8487510a805bbb4327edf2f94b42
static const unsigned char Templates_pages_not_found_html[] = {
#embed "../../Templates/pages/not-found.html"
};

// sha256 eb297a5b545d16b3840bab74e5c363bd9c88d1ea3cb20d4f289ede09449a36b1
static const unsigned char Templates_pages_open_in_app_html[] = {
#embed "../../Templates/pages/open-in-app.html"
};

// sha256 3b18ae11935765654362596dd5a04719ff82aceb073c2ec381001e338b692eb1
static const unsigned char Templates_pages_preview_link_html[] = {
#embed "../../Templates/pages/preview-link.html"
};

// sha256 91a22441810e83c125822b9b802fa00bc61de6658bdc966df9d4299b3f109f78
static const unsigned char Templates_pages_preview_html[] = {
#embed "../../Templates/pages/preview.html"
};

// sha256 235c5d2362ed03282bceee83e32f8808c719443e11f3defc53098b7c3ec698d2
static const unsigned char Templates_pages_resend_html[] = {
#embed "../../Templates/pages/resend.html"
};

// sha256 5fdaedc6a4c6d93cac5d0395eeca2d1868c540914c043f44824b28e74771075e
static const unsigned char Templates_pages_resent_html[] = {
#embed "../../Templates/pages/resent.html"
};

// sha256 a213fd9b1a99a6db6698017ac21abb154b1c4470882eb2d3468a0b9ff3df2ec9
static const unsigned char Templates_pages_session_ended_html[] = {
#embed "../../Templates/pages/session-ended.html"
};

// sha256 b04d80ce375c74a13efde2833ee9ea67497b83f49fb7a8edc36a445f1618f3ef
static const unsigned char Templates_pages_style_css[] = {
#embed "../../Templates/pages/style.css"
};

// sha256 45b484cc646e384d0baf991428c5711e12013076986b89a505ee2739afe82e70
static const unsigned char Templates_pages_wrong_address_html[] = {
#embed "../../Templates/pages/wrong-address.html"
};

// sha256 26c4d635bee72fec18074e85cd8049a76c66ff28e96299e11c5afa6cf949d55b
static const unsigned char Templates_pages_wrong_digits_html[] = {
#embed "../../Templates/pages/wrong-digits.html"
};

// sha256 c55f4b9654ada4f8f50b2d8d1fbee6be00eaa3dbccb032b44e30c199daf3e60e
static const unsigned char Templates_strings_ar_json[] = {
#embed "../../Templates/strings/ar.json"
};

// sha256 136900265b17bb9ba9fccbc9df5f8ffb2427d1f6f0e628a48dee165c2d8b5eae
static const unsigned char Templates_strings_de_json[] = {
#embed "../../Templates/strings/de.json"
};

// sha256 ff85b08effc844bb306ab4673980778c131521d01f6cc9abe162cb808aee8409
static const unsigned char Templates_strings_en_json[] = {
#embed "../../Templates/strings/en.json"
};

// sha256 8aad1c411ad891bb78bd8d3f55507dd4da3e51f7b3bc472f88118ccaeacbe878
static const unsigned char Templates_strings_es_json[] = {
#embed "../../Templates/strings/es.json"
};

// sha256 2dd3939ab993e7cd91822a2495eec8b6c0cd67f28eb055af753066c46422f134
static const unsigned char Templates_strings_fr_json[] = {
#embed "../../Templates/strings/fr.json"
};

// sha256 5028369d9a8cbb14fa123f6221a91e2f9007cdf6d5a3da1961b55925dcbae0f0
static const unsigned char Templates_strings_he_json[] = {
#embed "../../Templates/strings/he.json"
};

// sha256 0730eaa7d916eba76b99a59f218a9f97134bca3b91d15b0b954fa435f19d5f27
static const unsigned char Templates_strings_id_json[] = {
#embed "../../Templates/strings/id.json"
};

// sha256 b78252820a46a3ca3e247dcb1d4e7bcd5d240a69a042bd2e29670faf87c2552b
static const unsigned char Templates_strings_it_json[] = {
#embed "../../Templates/strings/it.json"
};

// sha256 6e93805be6188e27dbbe49f56f65639d40ce8259693c114aefa9ed05f1c5901c
static const unsigned char Templates_strings_ja_json[] = {
#embed "../../Templates/strings/ja.json"
};

// sha256 452fbd7d82dbb06d4602fdc6e8f661b60d87da1cdfb866895d31fa71a8018e11
static const unsigned char Templates_strings_ko_json[] = {
#embed "../../Templates/strings/ko.json"
};

// sha256 7768b6afb68b31d4db71e1318a69e64a92afed901fca9304bed233548b713002
static const unsigned char Templates_strings_nl_json[] = {
#embed "../../Templates/strings/nl.json"
};

// sha256 48e173c8667bf19691a10e06a81845b53089a8a61167df227b19e75e700f5c91
static const unsigned char Templates_strings_pl_json[] = {
#embed "../../Templates/strings/pl.json"
};

// sha256 9e404163f0d1b08315fa34aa4859bcc6a5c5ac5bdf35160d707a53457dda2ed6
static const unsigned char Templates_strings_pt_BR_json[] = {
#embed "../../Templates/strings/pt-BR.json"
};

// sha256 9d00e25c2224eeedbffe54ff461095511ea247c95d7bae82fdf2248968dd3047
static const unsigned char Templates_strings_sv_json[] = {
#embed "../../Templates/strings/sv.json"
};

// sha256 db89faee5c77204aa3b188b5ac2c34bdedb24944c21ace93617024f882659879
static const unsigned char Templates_strings_tr_json[] = {
#embed "../../Templates/strings/tr.json"
};

// sha256 532e44b6337802c7069e8284c4ef40f347af02d82a58e40ef9a51ad6032becf6
static const unsigned char Templates_strings_uk_json[] = {
#embed "../../Templates/strings/uk.json"
};

// sha256 10c2b50e7e8a3bef227becf4e2e436399f340a67530d5445daa810660647a37b
static const unsigned char Templates_strings_zh_CN_json[] = {
#embed "../../Templates/strings/zh-CN.json"
};

// sha256 1403d5ba9ef61991af4c0922b46dc5dee75c3bc42be249936b441fc32c7ab241
static const unsigned char Templates_strings_zh_TW_json[] = {
#embed "../../Templates/strings/zh-TW.json"
};

// sha256 bd8f5b14481867e216f1ce739fc899e10a781e81265addde6aa8c5be37fc19ea
static const unsigned char docs_openapi_json[] = {
#embed "../../docs/openapi.json"
};

static const latchkey_resource resources[] = {
    {"Sources/AccountDatabase/Migrations/0001_accounts.sql", Sources_AccountDatabase_Migrations_0001_accounts_sql, sizeof Sources_AccountDatabase_Migrations_0001_accounts_sql},
    {"Sources/AccountDatabase/Migrations/0002_assets.sql", Sources_AccountDatabase_Migrations_0002_assets_sql, sizeof Sources_AccountDatabase_Migrations_0002_assets_sql},
    {"Sources/AccountDatabase/Migrations/0003_providers.sql", Sources_AccountDatabase_Migrations_0003_providers_sql, sizeof Sources_AccountDatabase_Migrations_0003_providers_sql},
    {"Sources/AccountDatabase/Migrations/0004_nodes.sql", Sources_AccountDatabase_Migrations_0004_nodes_sql, sizeof Sources_AccountDatabase_Migrations_0004_nodes_sql},
    {"Sources/AccountDatabase/Migrations/0005_sign_in_codes.sql", Sources_AccountDatabase_Migrations_0005_sign_in_codes_sql, sizeof Sources_AccountDatabase_Migrations_0005_sign_in_codes_sql},
    {"Sources/AccountDatabase/Migrations/0006_known_clients.sql", Sources_AccountDatabase_Migrations_0006_known_clients_sql, sizeof Sources_AccountDatabase_Migrations_0006_known_clients_sql},
    {"Sources/AccountDatabase/Migrations/0007_mail_queue.sql", Sources_AccountDatabase_Migrations_0007_mail_queue_sql, sizeof Sources_AccountDatabase_Migrations_0007_mail_queue_sql},
    {"Sources/AccountDatabase/Migrations/0008_takeovers.sql", Sources_AccountDatabase_Migrations_0008_takeovers_sql, sizeof Sources_AccountDatabase_Migrations_0008_takeovers_sql},
    {"Sources/AccountDatabase/Migrations/0009_recent_sign_in.sql", Sources_AccountDatabase_Migrations_0009_recent_sign_in_sql, sizeof Sources_AccountDatabase_Migrations_0009_recent_sign_in_sql},
    {"Sources/AccountDatabase/Migrations/0010_notices.sql", Sources_AccountDatabase_Migrations_0010_notices_sql, sizeof Sources_AccountDatabase_Migrations_0010_notices_sql},
    {"Sources/AccountDatabase/Migrations/0011_sessions.sql", Sources_AccountDatabase_Migrations_0011_sessions_sql, sizeof Sources_AccountDatabase_Migrations_0011_sessions_sql},
    {"Sources/AccountDatabase/Migrations/0012_browser_sessions.sql", Sources_AccountDatabase_Migrations_0012_browser_sessions_sql, sizeof Sources_AccountDatabase_Migrations_0012_browser_sessions_sql},
    {"Sources/AccountDatabase/Migrations/0013_time_zones.sql", Sources_AccountDatabase_Migrations_0013_time_zones_sql, sizeof Sources_AccountDatabase_Migrations_0013_time_zones_sql},
    {"Sources/AccountDatabase/Migrations/0014_user_search.sql", Sources_AccountDatabase_Migrations_0014_user_search_sql, sizeof Sources_AccountDatabase_Migrations_0014_user_search_sql},
    {"Sources/AccountDatabase/Migrations/0015_audit.sql", Sources_AccountDatabase_Migrations_0015_audit_sql, sizeof Sources_AccountDatabase_Migrations_0015_audit_sql},
    {"Sources/AccountDatabase/Migrations/0016_mail_trace.sql", Sources_AccountDatabase_Migrations_0016_mail_trace_sql, sizeof Sources_AccountDatabase_Migrations_0016_mail_trace_sql},
    {"Sources/AccountDatabase/Migrations/0017_link_only_mails.sql", Sources_AccountDatabase_Migrations_0017_link_only_mails_sql, sizeof Sources_AccountDatabase_Migrations_0017_link_only_mails_sql},
    {"Sources/AccountDatabase/Migrations/0018_console.sql", Sources_AccountDatabase_Migrations_0018_console_sql, sizeof Sources_AccountDatabase_Migrations_0018_console_sql},
    {"Sources/AccountDatabase/Migrations/0019_firebase_move.sql", Sources_AccountDatabase_Migrations_0019_firebase_move_sql, sizeof Sources_AccountDatabase_Migrations_0019_firebase_move_sql},
    {"Sources/AccountDatabase/Migrations/0020_session_networks.sql", Sources_AccountDatabase_Migrations_0020_session_networks_sql, sizeof Sources_AccountDatabase_Migrations_0020_session_networks_sql},
    {"Sources/AccountDatabase/Migrations/0021_room_on_pages.sql", Sources_AccountDatabase_Migrations_0021_room_on_pages_sql, sizeof Sources_AccountDatabase_Migrations_0021_room_on_pages_sql},
    {"Sources/AccountDatabase/Migrations/0022_document_audit.sql", Sources_AccountDatabase_Migrations_0022_document_audit_sql, sizeof Sources_AccountDatabase_Migrations_0022_document_audit_sql},
    {"Sources/AccountDatabase/Migrations/0023_user_numbers.sql", Sources_AccountDatabase_Migrations_0023_user_numbers_sql, sizeof Sources_AccountDatabase_Migrations_0023_user_numbers_sql},
    {"Sources/AccountDatabase/Migrations/0024_room_for_sign_ins.sql", Sources_AccountDatabase_Migrations_0024_room_for_sign_ins_sql, sizeof Sources_AccountDatabase_Migrations_0024_room_for_sign_ins_sql},
    {"Sources/AccountDatabase/Schema/sqlite.sql", Sources_AccountDatabase_Schema_sqlite_sql, sizeof Sources_AccountDatabase_Schema_sqlite_sql},
    {"Sources/WebClient/console/console.js", Sources_WebClient_console_console_js, sizeof Sources_WebClient_console_console_js},
    {"Sources/WebClient/demo/demo.css", Sources_WebClient_demo_demo_css, sizeof Sources_WebClient_demo_demo_css},
    {"Sources/WebClient/demo/demo.js", Sources_WebClient_demo_demo_js, sizeof Sources_WebClient_demo_demo_js},
    {"Sources/WebClient/demo/index.html", Sources_WebClient_demo_index_html, sizeof Sources_WebClient_demo_index_html},
    {"Sources/WebClient/dist/latchkey-0.1.0.js", Sources_WebClient_dist_latchkey_0_1_0_js, sizeof Sources_WebClient_dist_latchkey_0_1_0_js},
    {"Sources/WebClient/dist/latchkey-0.1.0.js.br", Sources_WebClient_dist_latchkey_0_1_0_js_br, sizeof Sources_WebClient_dist_latchkey_0_1_0_js_br},
    {"Sources/WebClient/dist/latchkey-0.1.0.js.gz", Sources_WebClient_dist_latchkey_0_1_0_js_gz, sizeof Sources_WebClient_dist_latchkey_0_1_0_js_gz},
    {"Sources/WebClient/dist/latchkey-0.1.0.tgz", Sources_WebClient_dist_latchkey_0_1_0_tgz, sizeof Sources_WebClient_dist_latchkey_0_1_0_tgz},
    {"Sources/WebClient/mailbox/mailbox.js", Sources_WebClient_mailbox_mailbox_js, sizeof Sources_WebClient_mailbox_mailbox_js},
    {"Templates/colors.json", Templates_colors_json, sizeof Templates_colors_json},
    {"Templates/email/button.html", Templates_email_button_html, sizeof Templates_email_button_html},
    {"Templates/email/change-email.html", Templates_email_change_email_html, sizeof Templates_email_change_email_html},
    {"Templates/email/change-email.txt", Templates_email_change_email_txt, sizeof Templates_email_change_email_txt},
    {"Templates/email/copy-link.html", Templates_email_copy_link_html, sizeof Templates_email_copy_link_html},
    {"Templates/email/email-changed.html", Templates_email_email_changed_html, sizeof Templates_email_email_changed_html},
    {"Templates/email/email-changed.txt", Templates_email_email_changed_txt, sizeof Templates_email_email_changed_txt},
    {"Templates/email/email-in-use.html", Templates_email_email_in_use_html, sizeof Templates_email_email_in_use_html},
    {"Templates/email/email-in-use.txt", Templates_email_email_in_use_txt, sizeof Templates_email_email_in_use_txt},
    {"Templates/email/fact.html", Templates_email_fact_html, sizeof Templates_email_fact_html},
    {"Templates/email/footer-link.html", Templates_email_footer_link_html, sizeof Templates_email_footer_link_html},
    {"Templates/email/layout.html", Templates_email_layout_html, sizeof Templates_email_layout_html},
    {"Templates/email/logo.html", Templates_email_logo_html, sizeof Templates_email_logo_html},
    {"Templates/email/method-added.html", Templates_email_method_added_html, sizeof Templates_email_method_added_html},
    {"Templates/email/method-added.txt", Templates_email_method_added_txt, sizeof Templates_email_method_added_txt},
    {"Templates/email/method-removed.html", Templates_email_method_removed_html, sizeof Templates_email_method_removed_html},
    {"Templates/email/method-removed.txt", Templates_email_method_removed_txt, sizeof Templates_email_method_removed_txt},
    {"Templates/email/quiet-button.html", Templates_email_quiet_button_html, sizeof Templates_email_quiet_button_html},
    {"Templates/email/sign-in.html", Templates_email_sign_in_html, sizeof Templates_email_sign_in_html},
    {"Templates/email/sign-in.txt", Templates_email_sign_in_txt, sizeof Templates_email_sign_in_txt},
    {"Templates/email/support.html", Templates_email_support_html, sizeof Templates_email_support_html},
    {"Templates/email/verify-email.html", Templates_email_verify_email_html, sizeof Templates_email_verify_email_html},
    {"Templates/email/verify-email.txt", Templates_email_verify_email_txt, sizeof Templates_email_verify_email_txt},
    {"Templates/pages/account-address.html", Templates_pages_account_address_html, sizeof Templates_pages_account_address_html},
    {"Templates/pages/account-confirm.html", Templates_pages_account_confirm_html, sizeof Templates_pages_account_confirm_html},
    {"Templates/pages/account-continue.html", Templates_pages_account_continue_html, sizeof Templates_pages_account_continue_html},
    {"Templates/pages/account-delete.html", Templates_pages_account_delete_html, sizeof Templates_pages_account_delete_html},
    {"Templates/pages/account-deleted.html", Templates_pages_account_deleted_html, sizeof Templates_pages_account_deleted_html},
    {"Templates/pages/account-end-session.html", Templates_pages_account_end_session_html, sizeof Templates_pages_account_end_session_html},
    {"Templates/pages/account-message.html", Templates_pages_account_message_html, sizeof Templates_pages_account_message_html},
    {"Templates/pages/account-method.html", Templates_pages_account_method_html, sizeof Templates_pages_account_method_html},
    {"Templates/pages/account-sent.html", Templates_pages_account_sent_html, sizeof Templates_pages_account_sent_html},
    {"Templates/pages/account-session.html", Templates_pages_account_session_html, sizeof Templates_pages_account_session_html},
    {"Templates/pages/account-sign-in-approved.html", Templates_pages_account_sign_in_approved_html, sizeof Templates_pages_account_sign_in_approved_html},
    {"Templates/pages/account-sign-in-code.html", Templates_pages_account_sign_in_code_html, sizeof Templates_pages_account_sign_in_code_html},
    {"Templates/pages/account-sign-in-inbox.html", Templates_pages_account_sign_in_inbox_html, sizeof Templates_pages_account_sign_in_inbox_html},
    {"Templates/pages/account-sign-in.html", Templates_pages_account_sign_in_html, sizeof Templates_pages_account_sign_in_html},
    {"Templates/pages/account.html", Templates_pages_account_html, sizeof Templates_pages_account_html},
    {"Templates/pages/already-signed-in.html", Templates_pages_already_signed_in_html, sizeof Templates_pages_already_signed_in_html},
    {"Templates/pages/approve.html", Templates_pages_approve_html, sizeof Templates_pages_approve_html},
    {"Templates/pages/approved.html", Templates_pages_approved_html, sizeof Templates_pages_approved_html},
    {"Templates/pages/back.html", Templates_pages_back_html, sizeof Templates_pages_back_html},
    {"Templates/pages/code.html", Templates_pages_code_html, sizeof Templates_pages_code_html},
    {"Templates/pages/codes-paused.html", Templates_pages_codes_paused_html, sizeof Templates_pages_codes_paused_html},
    {"Templates/pages/confirm-change-email.html", Templates_pages_confirm_change_email_html, sizeof Templates_pages_confirm_change_email_html},
    {"Templates/pages/confirm-contest.html", Templates_pages_confirm_contest_html, sizeof Templates_pages_confirm_contest_html},
    {"Templates/pages/confirm-recover-email.html", Templates_pages_confirm_recover_email_html, sizeof Templates_pages_confirm_recover_email_html},
    {"Templates/pages/confirm-revert-change.html", Templates_pages_confirm_revert_change_html, sizeof Templates_pages_confirm_revert_change_html},
    {"Templates/pages/confirm-verify-email.html", Templates_pages_confirm_verify_email_html, sizeof Templates_pages_confirm_verify_email_html},
    {"Templates/pages/console/audit.html", Templates_pages_console_audit_html, sizeof Templates_pages_console_audit_html},
    {"Templates/pages/console/clean-up.html", Templates_pages_console_clean_up_html, sizeof Templates_pages_console_clean_up_html},
    {"Templates/pages/console/configuration.html", Templates_pages_console_configuration_html, sizeof Templates_pages_console_configuration_html},
    {"Templates/pages/console/confirm.html", Templates_pages_console_confirm_html, sizeof Templates_pages_console_confirm_html},
    {"Templates/pages/console/document.html", Templates_pages_console_document_html, sizeof Templates_pages_console_document_html},
    {"Templates/pages/console/inbox.html", Templates_pages_console_inbox_html, sizeof Templates_pages_console_inbox_html},
    {"Templates/pages/console/layout.html", Templates_pages_console_layout_html, sizeof Templates_pages_console_layout_html},
    {"Templates/pages/console/mail.html", Templates_pages_console_mail_html, sizeof Templates_pages_console_mail_html},
    {"Templates/pages/console/message.html", Templates_pages_console_message_html, sizeof Templates_pages_console_message_html},
    {"Templates/pages/console/open.html", Templates_pages_console_open_html, sizeof Templates_pages_console_open_html},
    {"Templates/pages/console/overview.html", Templates_pages_console_overview_html, sizeof Templates_pages_console_overview_html},
    {"Templates/pages/console/receipt.html", Templates_pages_console_receipt_html, sizeof Templates_pages_console_receipt_html},
    {"Templates/pages/console/refused.html", Templates_pages_console_refused_html, sizeof Templates_pages_console_refused_html},
    {"Templates/pages/console/sign-in.html", Templates_pages_console_sign_in_html, sizeof Templates_pages_console_sign_in_html},
    {"Templates/pages/console/style.css", Templates_pages_console_style_css, sizeof Templates_pages_console_style_css},
    {"Templates/pages/console/user.html", Templates_pages_console_user_html, sizeof Templates_pages_console_user_html},
    {"Templates/pages/console/users.html", Templates_pages_console_users_html, sizeof Templates_pages_console_users_html},
    {"Templates/pages/denied-email.html", Templates_pages_denied_email_html, sizeof Templates_pages_denied_email_html},
    {"Templates/pages/denied.html", Templates_pages_denied_html, sizeof Templates_pages_denied_html},
    {"Templates/pages/done-change-email.html", Templates_pages_done_change_email_html, sizeof Templates_pages_done_change_email_html},
    {"Templates/pages/done-contest.html", Templates_pages_done_contest_html, sizeof Templates_pages_done_contest_html},
    {"Templates/pages/done-recover-email.html", Templates_pages_done_recover_email_html, sizeof Templates_pages_done_recover_email_html},
    {"Templates/pages/done-revert-change.html", Templates_pages_done_revert_change_html, sizeof Templates_pages_done_revert_change_html},
    {"Templates/pages/done-verify-email.html", Templates_pages_done_verify_email_html, sizeof Templates_pages_done_verify_email_html},
    {"Templates/pages/error.html", Templates_pages_error_html, sizeof Templates_pages_error_html},
    {"Templates/pages/expired.html", Templates_pages_expired_html, sizeof Templates_pages_expired_html},
    {"Templates/pages/footer-link.html", Templates_pages_footer_link_html, sizeof Templates_pages_footer_link_html},
    {"Templates/pages/landing.html", Templates_pages_landing_html, sizeof Templates_pages_landing_html},
    {"Templates/pages/layout.html", Templates_pages_layout_html, sizeof Templates_pages_layout_html},
    {"Templates/pages/link-denied.html", Templates_pages_link_denied_html, sizeof Templates_pages_link_denied_html},
    {"Templates/pages/link-ended.html", Templates_pages_link_ended_html, sizeof Templates_pages_link_ended_html},
    {"Templates/pages/link-expired.html", Templates_pages_link_expired_html, sizeof Templates_pages_link_expired_html},
    {"Templates/pages/link-replaced.html", Templates_pages_link_replaced_html, sizeof Templates_pages_link_replaced_html},
    {"Templates/pages/link-used.html", Templates_pages_link_used_html, sizeof Templates_pages_link_used_html},
    {"Templates/pages/logo.html", Templates_pages_logo_html, sizeof Templates_pages_logo_html},
    {"Templates/pages/mailbox-link.html", Templates_pages_mailbox_link_html, sizeof Templates_pages_mailbox_link_html},
    {"Templates/pages/mailbox-message.html", Templates_pages_mailbox_message_html, sizeof Templates_pages_mailbox_message_html},
    {"Templates/pages/mailbox-row.html", Templates_pages_mailbox_row_html, sizeof Templates_pages_mailbox_row_html},
    {"Templates/pages/mailbox.html", Templates_pages_mailbox_html, sizeof Templates_pages_mailbox_html},
    {"Templates/pages/not-found.html", Templates_pages_not_found_html, sizeof Templates_pages_not_found_html},
    {"Templates/pages/open-in-app.html", Templates_pages_open_in_app_html, sizeof Templates_pages_open_in_app_html},
    {"Templates/pages/preview-link.html", Templates_pages_preview_link_html, sizeof Templates_pages_preview_link_html},
    {"Templates/pages/preview.html", Templates_pages_preview_html, sizeof Templates_pages_preview_html},
    {"Templates/pages/resend.html", Templates_pages_resend_html, sizeof Templates_pages_resend_html},
    {"Templates/pages/resent.html", Templates_pages_resent_html, sizeof Templates_pages_resent_html},
    {"Templates/pages/session-ended.html", Templates_pages_session_ended_html, sizeof Templates_pages_session_ended_html},
    {"Templates/pages/style.css", Templates_pages_style_css, sizeof Templates_pages_style_css},
    {"Templates/pages/wrong-address.html", Templates_pages_wrong_address_html, sizeof Templates_pages_wrong_address_html},
    {"Templates/pages/wrong-digits.html", Templates_pages_wrong_digits_html, sizeof Templates_pages_wrong_digits_html},
    {"Templates/strings/ar.json", Templates_strings_ar_json, sizeof Templates_strings_ar_json},
    {"Templates/strings/de.json", Templates_strings_de_json, sizeof Templates_strings_de_json},
    {"Templates/strings/en.json", Templates_strings_en_json, sizeof Templates_strings_en_json},
    {"Templates/strings/es.json", Templates_strings_es_json, sizeof Templates_strings_es_json},
    {"Templates/strings/fr.json", Templates_strings_fr_json, sizeof Templates_strings_fr_json},
    {"Templates/strings/he.json", Templates_strings_he_json, sizeof Templates_strings_he_json},
    {"Templates/strings/id.json", Templates_strings_id_json, sizeof Templates_strings_id_json},
    {"Templates/strings/it.json", Templates_strings_it_json, sizeof Templates_strings_it_json},
    {"Templates/strings/ja.json", Templates_strings_ja_json, sizeof Templates_strings_ja_json},
    {"Templates/strings/ko.json", Templates_strings_ko_json, sizeof Templates_strings_ko_json},
    {"Templates/strings/nl.json", Templates_strings_nl_json, sizeof Templates_strings_nl_json},
    {"Templates/strings/pl.json", Templates_strings_pl_json, sizeof Templates_strings_pl_json},
    {"Templates/strings/pt-BR.json", Templates_strings_pt_BR_json, sizeof Templates_strings_pt_BR_json},
    {"Templates/strings/sv.json", Templates_strings_sv_json, sizeof Templates_strings_sv_json},
    {"Templates/strings/tr.json", Templates_strings_tr_json, sizeof Templates_strings_tr_json},
    {"Templates/strings/uk.json", Templates_strings_uk_json, sizeof Templates_strings_uk_json},
    {"Templates/strings/zh-CN.json", Templates_strings_zh_CN_json, sizeof Templates_strings_zh_CN_json},
    {"Templates/strings/zh-TW.json", Templates_strings_zh_TW_json, sizeof Templates_strings_zh_TW_json},
    {"docs/openapi.json", docs_openapi_json, sizeof docs_openapi_json},
};

const latchkey_resource *latchkey_resources(size_t *count) {
    *count = sizeof resources / sizeof *resources;
    return resources;
}
